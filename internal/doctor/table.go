package doctor

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func (d *Doctor) examineTable(ctx context.Context, name string) []Finding {
	const subject = "table"
	if name == "" {
		return []Finding{missing(subject, "sam build && sam deploy", "the stack tells of none")}
	}
	out, err := d.DynamoDB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if _, absent := errors.AsType[*types.ResourceNotFoundException](err); absent {
		return []Finding{missing(subject, "aws dynamodb restore-table-to-point-in-time, then sam deploy", "%s does not exist", name)}
	}
	if err != nil {
		return []Finding{unread(subject, "dynamodb:DescribeTable", err)}
	}
	if status := out.Table.TableStatus; status != types.TableStatusActive {
		return []Finding{missing(subject, "aws dynamodb wait table-exists --table-name "+name, "%s is %s", name, status)}
	}
	findings := []Finding{right(subject, "%s is active", name)}
	if !aws.ToBool(out.Table.DeletionProtectionEnabled) {
		findings = append(findings, advice("table's deletion protection", "sam deploy --parameter-overrides DeletionProtection=true",
			"it is off: set it once the first deployment has succeeded"))
	}
	return append(findings, d.examineExpiry(ctx, name), d.examineRecovery(ctx, name))
}

func (d *Doctor) examineExpiry(ctx context.Context, name string) Finding {
	const subject, attribute = "table's time to live", "expires_at"
	out, err := d.DynamoDB.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return unread(subject, "dynamodb:DescribeTimeToLive", err)
	}
	ttl := out.TimeToLiveDescription
	if ttl == nil || ttl.TimeToLiveStatus != types.TimeToLiveStatusEnabled || aws.ToString(ttl.AttributeName) != attribute {
		return missing(subject, "aws dynamodb update-time-to-live --table-name "+name+
			" --time-to-live-specification Enabled=true,AttributeName="+attribute, "it is off: what has expired is never deleted")
	}
	return right(subject, "it is on")
}

func (d *Doctor) examineRecovery(ctx context.Context, name string) Finding {
	const subject = "table's recovery"
	out, err := d.DynamoDB.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		return unread(subject, "dynamodb:DescribeContinuousBackups", err)
	}
	b := out.ContinuousBackupsDescription
	if b == nil || b.PointInTimeRecoveryDescription == nil ||
		b.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		return missing(subject, "aws dynamodb update-continuous-backups --table-name "+name+
			" --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true", "point-in-time recovery is off")
	}
	return right(subject, "point-in-time recovery is on")
}

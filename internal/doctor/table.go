package doctor

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func (d *Doctor) examineTable(ctx context.Context, s *stack) []Finding {
	const subject = "table"
	name := s.outputs["TableName"]
	if name == "" {
		return []Finding{missing(subject, "sam build && sam deploy --stack-name "+d.Stack,
			"the stack tells of none")}
	}
	out, err := d.DynamoDB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if _, absent := errors.AsType[*types.ResourceNotFoundException](err); absent {
		return []Finding{missing(subject,
			"restore it: aws dynamodb list-backups --backup-type SYSTEM --table-name "+name+
				", then aws dynamodb restore-table-from-backup --target-table-name "+name+" --backup-arn <ARN>",
			"%s does not exist", name)}
	}
	if err != nil {
		return []Finding{unread(subject, "dynamodb:DescribeTable", err)}
	}
	if status := out.Table.TableStatus; status != types.TableStatusActive {
		return []Finding{missing(subject, "aws dynamodb wait table-exists --table-name "+name,
			"%s is %s", name, status)}
	}
	findings := []Finding{right(subject, "%s is active", name), d.examineExpiry(ctx, name)}
	if d.Local {
		return findings
	}
	return append(findings, examineProtection(s, out.Table), d.examineRecovery(ctx, name))
}

func examineProtection(s *stack, table *types.TableDescription) Finding {
	const subject = "table's deletion protection"
	if !aws.ToBool(table.DeletionProtectionEnabled) {
		return advice(subject, s.update("DeletionProtection", "true"),
			"it is off, which is for the first deployment alone: the table could be deleted")
	}
	return right(subject, "it is on")
}

func (d *Doctor) examineExpiry(ctx context.Context, name string) Finding {
	const subject, attribute = "table's time to live", "expires_at"
	out, err := d.DynamoDB.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return unread(subject, "dynamodb:DescribeTimeToLive", err)
	}
	ttl := out.TimeToLiveDescription
	// Enabling takes up to an hour.
	on := []types.TimeToLiveStatus{types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling}
	if ttl == nil || !slices.Contains(on, ttl.TimeToLiveStatus) || aws.ToString(ttl.AttributeName) != attribute {
		return missing(subject, "aws dynamodb update-time-to-live --table-name "+name+
			" --time-to-live-specification Enabled=true,AttributeName="+attribute,
			"it is off: what has expired is never deleted")
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

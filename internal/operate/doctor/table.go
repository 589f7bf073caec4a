package doctor

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// examineTable examines the table that the stack names. A local table only has a time to live.
func (d *Doctor) examineTable(ctx context.Context, s *stack) []Finding {
	const subject = "table"
	name := s.outputs["TableName"]
	if name == "" {
		return []Finding{missing(subject, d.deploy(), "the stack tells of none")}
	}
	out, err := d.DynamoDB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if _, absent := errors.AsType[*types.ResourceNotFoundException](err); absent {
		return []Finding{missing(subject,
			d.aws("dynamodb list-backups --backup-type SYSTEM --table-name "+name).
				below(d.aws("dynamodb restore-table-from-backup --target-table-name "+name+" --backup-arn '<ARN>'")).
				after("restore it from one of its backups"),
			"%s does not exist", name)}
	}
	if err != nil {
		return []Finding{unread(subject, "dynamodb:DescribeTable", err)}
	}
	if status := out.Table.TableStatus; status != types.TableStatusActive {
		return []Finding{missing(subject, d.aws("dynamodb wait table-exists --table-name "+name),
			"%s is %s", name, status)}
	}
	findings := []Finding{right(subject, "%s is active", name), d.examineExpiry(ctx, name)}
	if d.Local {
		return findings
	}
	findings = append(findings, examineProtection(s, out.Table), d.examineRecovery(ctx, name))
	return slices.Concat(findings, d.examineTags(ctx, s, out.Table), d.examineReopening(ctx, out.Table))
}

// examineLayout refuses a table that another version wrote.
func (d *Doctor) examineLayout(ctx context.Context, s *stack) []Finding {
	name := s.outputs["TableName"]
	if name == "" {
		return nil
	}
	err := d.Layout(ctx, name)
	if err == nil {
		return nil
	}
	return []Finding{missing("table's layout", do("install the version of frontdesk that the stack has"), "%v", err)}
}

// hasMade reports whether the stack made the table. Then its settings are the template's, otherwise somebody set
// them. A restored table was not made by the stack, even if it has the stack's own name: CloudFormation does not know
// of a restore.
func (s *stack) hasMade(table *types.TableDescription) bool {
	return s.parameters["ExistingTableName"] == "" && table.RestoreSummary == nil
}

// examineProtection wants deletion protection. The mend depends on who made the table: a stack's own table gets it by
// the stack's parameter, so that the stack and its table agree.
func examineProtection(s *stack, table *types.TableDescription) Finding {
	const subject = "table's deletion protection"
	switch {
	case aws.ToBool(table.DeletionProtectionEnabled):
		return right(subject, "it is on")
	case !s.hasMade(table):
		return advice(subject, s.aws("dynamodb update-table --table-name "+aws.ToString(table.TableName)+
			" --deletion-protection-enabled"), "it is off, as a restore leaves it: the table could be deleted")
	}
	return advice(subject, s.update("DeletionProtection", "true"),
		"it is off, which is only for the first deployment: the table could be deleted")
}

// examineTags checks that a table which the stack did not make has the stack's tags: CloudFormation tags only its
// own resources.
func (d *Doctor) examineTags(ctx context.Context, s *stack, table *types.TableDescription) []Finding {
	const subject = "table's tags"
	if s.hasMade(table) || len(s.tags) == 0 {
		return nil
	}
	lacking := maps.Clone(s.tags)
	for token, more := (*string)(nil), true; more; more = token != nil {
		out, err := d.DynamoDB.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{
			ResourceArn: table.TableArn, NextToken: token,
		})
		if err != nil {
			return []Finding{unread(subject, "dynamodb:ListTagsOfResource", err)}
		}
		for _, tag := range out.Tags {
			delete(lacking, aws.ToString(tag.Key))
		}
		token = out.NextToken
	}
	if len(lacking) == 0 {
		return []Finding{right(subject, "it has those of the stack")}
	}
	tags := ""
	names := slices.Sorted(maps.Keys(lacking))
	for _, name := range names {
		tags += " " + quote("Key="+name+",Value="+lacking[name])
	}
	tag := d.aws("dynamodb tag-resource --resource-arn " + aws.ToString(table.TableArn) + " --tags" + tags)
	return []Finding{advice(subject, tag, "it lacks %s of the stack's", strings.Join(names, ", "))}
}

// examineReopening checks that a table from a backup was reopened.
func (d *Doctor) examineReopening(ctx context.Context, table *types.TableDescription) []Finding {
	const subject = "table's reopening"
	if table.RestoreSummary == nil {
		return nil
	}
	done, err := d.Reopened(ctx, *table)
	if err != nil {
		return []Finding{unread(subject, "dynamodb:BatchGetItem", err)}
	}
	if !done {
		reopen := "frontdesk --table-name " + aws.ToString(table.TableName) +
			" table reopen --from '<the table that it takes the place of, or a list of it>'"
		return []Finding{missing(subject, mend{"reopen it, as internal/docs/restore.md says", reopen},
			"it was restored to %s: what has ended since works again",
			aws.ToTime(table.RestoreSummary.RestoreDateTime).UTC().Format(time.RFC3339))}
	}
	return []Finding{right(subject, "what has ended since its backup has ended in it, too")}
}

// examineExpiry checks that DynamoDB deletes expired items: tokens, links, records of mails. While it is on for another
// attribute, AWS refuses ours ("TimeToLive is active on a different AttributeName"). Turning it on or off takes up to
// an hour, in which AWS refuses every further change.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
func (d *Doctor) examineExpiry(ctx context.Context, name string) Finding {
	const subject, attribute = "table's time to live", "expires_at"
	out, err := d.DynamoDB.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return unread(subject, "dynamodb:DescribeTimeToLive", err)
	}
	ttl := cmp.Or(out.TimeToLiveDescription, &types.TimeToLiveDescription{})
	set := func(is, attribute string) mend {
		return d.aws("dynamodb update-time-to-live --table-name " + name +
			" --time-to-live-specification " + quote("Enabled="+is+",AttributeName="+attribute))
	}
	on := []types.TimeToLiveStatus{types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling}
	switch of := aws.ToString(ttl.AttributeName); {
	case slices.Contains(on, ttl.TimeToLiveStatus) && of == attribute:
		return right(subject, "it is on")
	case slices.Contains(on, ttl.TimeToLiveStatus):
		return missing(subject, set("false", of).after("turn that off, and look again in an hour"),
			"it is on for %s, and not for %s: what has expired is never deleted", of, attribute)
	case ttl.TimeToLiveStatus == types.TimeToLiveStatusDisabling:
		return missing(subject, do("look again in an hour: until then AWS changes nothing"),
			"it is being turned off: what has expired is never deleted")
	}
	return missing(subject, set("true", attribute), "it is off: what has expired is never deleted")
}

// examineRecovery checks that the table can be restored to any second of the last 35 days.
func (d *Doctor) examineRecovery(ctx context.Context, name string) Finding {
	const subject = "table's recovery"
	out, err := d.DynamoDB.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		return unread(subject, "dynamodb:DescribeContinuousBackups", err)
	}
	b := out.ContinuousBackupsDescription
	if b == nil || b.PointInTimeRecoveryDescription == nil ||
		b.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		return missing(subject, d.aws("dynamodb update-continuous-backups --table-name "+name+
			" --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true"), "point-in-time recovery is off")
	}
	return right(subject, "point-in-time recovery is on")
}

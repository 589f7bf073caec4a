package doctor

import "context"

// examinePortals advises about public portals that are too large for readers, or will be soon. Readers get an error for
// one that is too large. There is no finding where no portal is large, or where the table is missing.
func (d *Doctor) examinePortals(ctx context.Context, s *stack) (findings []Finding) {
	const subject = "portals"
	name := s.outputs["TableName"]
	if name == "" {
		return nil
	}
	large, err := d.LargePortals(ctx, name)
	if err != nil {
		return []Finding{unread(subject, "dynamodb:BatchGetItem and dynamodb:Query", err)}
	}
	for _, says := range large {
		const mend = "make several portals of it: internal/category/README.md"
		findings = append(findings, advice(subject, mend, "%s", says))
	}
	return findings
}

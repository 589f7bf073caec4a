package doctor

import "context"

// examinePortals advises about public portals whose list readers do not get, or will soon not get. There is no finding
// where all is well, or where the table is missing.
func (d *Doctor) examinePortals(ctx context.Context, s *stack) (findings []Finding) {
	const subject = "portals"
	name := s.outputs["TableName"]
	if name == "" {
		return nil
	}
	warnings, err := d.Portals(ctx, name)
	if err != nil {
		return []Finding{unread(subject, "dynamodb:BatchGetItem and dynamodb:Query", err)}
	}
	for _, w := range warnings {
		findings = append(findings, advice(subject, do(w.Mend), "%s", w.Says))
	}
	return findings
}

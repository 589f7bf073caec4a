package member_test

import (
	"encoding/json"
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/member"

	"github.com/aws/aws-lambda-go/events"
)

// TestWhatARequestTakes counts round trips, as the calls of these requests come one after the other, and units.
// DynamoDB also charges for a transaction that it refuses; the database here does not.
func TestWhatARequestTakes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t, fixture.WithoutFunctions(t))
		bob := s.newUser(t, s.App.ID)
		s.AddMember(t, s.Portal, bob)
		// A portal whose 100 members are all strangers to the app.
		crowded := s.NewPortal(t, 1, "crowded", "en")
		s.AddStrangers(t, crowded, 100)
		list, add := (*member.Service).ListFunction, (*member.Service).AddFunction
		remove := (*member.Service).RemoveFunction
		for _, c := range []struct {
			name     string
			function func(*member.Service) api.Function
			slug     string
			user     id.ID
			status   int
			trips    int
			units    float64
		}{
			{"POST of a member", add, "handbook", bob, 200, 2, 5},
			{"POST of nobody", add, "handbook", 7, 401, 1, 5},
			{"DELETE of nobody", remove, "handbook", 7, 401, 1, 5},
			{"GET of a portal with 100 others", list, "crowded", 0, 200, 5, 3 + 1 + (3 + 2*48) + 1 + 3},
			{"GET of no portal", list, "nowhere", 0, 401, 1, 3},
		} {
			took := &fixture.Meter{}
			body, _ := json.Marshal(object{"user_id": c.user})
			event, _ := json.Marshal(events.APIGatewayV2HTTPRequest{
				Headers: map[string]string{"api_access_token": s.AppToken},
				PathParameters: map[string]string{
					"account_id": "1", "portal_slug": c.slug, "user_id": c.user.String(),
				},
				Body: string(body),
			})
			service := &member.Service{Table: table.Open(took.Count(s.Operator()), s.Table.Name())}
			var answer events.APIGatewayV2HTTPResponse
			function := c.function(service)
			raw, err := function.Invoke(t.Context(), event)
			if err == nil {
				err = json.Unmarshal(raw, &answer)
			}
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, answer.StatusCode, c.status, c.name+": status")
			expect.Equal(t, took.Calls, c.trips, c.name+": round trips")
			expect.Equal(t, took.Units, c.units, c.name+": units")
		}
	})
}

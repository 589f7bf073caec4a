module frontdesk/internal/bench

go 1.26.0

replace frontdesk => ../..

require (
	frontdesk v0.0.0
	github.com/aws/aws-lambda-go v1.55.1
	github.com/emersion/go-message v0.18.2
	github.com/wneessen/go-mail v0.8.1
)

require (
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

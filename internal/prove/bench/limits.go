package bench

// Limits for the figures. One run measures both sides of a multiple, in turns.
const (
	// MaxStart and MaxZip are multiples of hello-world, for functions that need only DynamoDB: they read the roots
	// that they trust. send-mail may take more, because it loads a second service, HTML and downloads.
	MaxStart     = 2.8
	MaxStartMail = 3.0
	MaxZip       = 1.7
	MaxZipMail   = 1.8
	// MaxStartGetItem is for every function, in multiples of get-item.
	MaxStartGetItem = 1.8
	// MaxFirstAnswer is for show-user with its memory size in the template, from its start to its first answer by
	// TLS, in multiples of its own time with a single root certificate.
	MaxFirstAnswer = 1.3
	// MinPin is the cold start of a function without the pin of an AWS client in go.mod, in multiples of that with it.
	// A pin that saves less is to be dropped: it gives up the client's updates.
	MinPin = 1.05
	// MaxWarmCPU is for show-user, which reads three items and verifies a credential, in multiples of get-item, which
	// reads one. MaxWarmCreate and MaxWarmUpdate are for a category, which takes two round trips. MaxWarmMail is for
	// a mail with 13 kB of HTML, from which send-mail makes the text.
	MaxWarmCPU    = 1.3
	MaxWarmCreate = 3.0
	MaxWarmUpdate = 2.8
	MaxWarmMail   = 5.0
	// MinGoMail is the time that go-mail takes for a message of 25 MB, in multiples of frontdesk's. MinBase64 is the
	// same for the standard library's bare encoder, which writes no message.
	MinGoMail = 3
	MinBase64 = 1.25
	// MaxAllocation is how much memory is allocated for that message, in multiples of its finished size;
	// MaxAllocationInOne if the caller wants the message in one buffer.
	MaxAllocation      = 0.05
	MaxAllocationInOne = 1.1
	// MinStockCPU and MinStockMemory are what stock-mail takes for a whole mail with 25 MB of attachments, in multiples
	// of send-mail's. MinStockCPUSmall is for 13 kB of HTML, from which only send-mail makes a text as well.
	MinStockCPU      = 1.25
	MinStockMemory   = 3
	MinStockCPUSmall = 0.5
	// The greatest shares of requests that may fail when 64 clients work at the same time: creates below one parent
	// and mails with a quota, moves of unrelated categories, moves of related categories. No request may get 500,
	// however many clients there are, even if a partition is throttled.
	MaxFailed        = 0.005
	MaxFailedMoves   = 0.01
	MaxFailedRelated = 0.05
	MaxServerErrors  = 0.0
	// MaxMemory is the most memory, in bytes, that send-mail may hold for a message of 40 MB: half of its size in
	// the template.
	MaxMemory = 512e6
)

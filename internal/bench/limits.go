package bench

// What is wanted of the figures. The two sides of a multiple are measured in one run, interleaved.
const (
	// MaxStart and MaxZip are in multiples of hello-world, for functions that need DynamoDB alone: they read the roots
	// that they trust. send-mail may take more: it has a second service, HTML and downloads to load.
	MaxStart     = 2.8
	MaxStartMail = 3.0
	MaxZip       = 1.7
	MaxZipMail   = 1.8
	// MaxStartGetItem is for every function, in multiples of get-item.
	MaxStartGetItem = 1.8
	// MaxFirstAnswer is for show-user at its memory size in the template, from its start to its first answer by TLS, in
	// multiples of itself with one root alone.
	MaxFirstAnswer = 1.3
	// MaxWarmCPU is for show-user, which reads three items and verifies a credential, in multiples of get-item, which
	// reads one. MaxWarmCreate and MaxWarmUpdate are for a category, which takes two round trips, and MaxWarmMail is
	// for a mail of 13 kB of HTML, whose text is made.
	MaxWarmCPU    = 1.3
	MaxWarmCreate = 3.0
	MaxWarmUpdate = 2.8
	MaxWarmMail   = 5.0
	// MinGoMail is the time that go-mail takes for a message of 25 MB, in multiples of frontdesk's, and MinBase64 that
	// of the standard library's bare encoder, which does not write a message.
	MinGoMail = 3
	MinBase64 = 1.25
	// MaxAllocation is what is allocated for that message, in multiples of its finished size; MaxAllocationInOne where
	// it is wanted in one buffer.
	MaxAllocation      = 0.05
	MaxAllocationInOne = 1.1
	// MinStockCPU and MinStockMemory are what stock-mail takes for a whole mail with 25 MB of attachments, in multiples
	// of send-mail's; MinStockCPUSmall is for 13 kB of HTML, of which send-mail makes a text as well.
	MinStockCPU      = 1.25
	MinStockMemory   = 3
	MinStockCPUSmall = 0.5
	// Of 64 clients at the same time at most so many requests fail: creates below one parent and mails with a quota,
	// moves of unrelated and of related categories. With 500 none does, nor where a partition is throttled.
	MaxFailed        = 0.005
	MaxFailedMoves   = 0.01
	MaxFailedRelated = 0.05
	MaxServerErrors  = 0.0
	// MaxMemory is the most that send-mail may hold for a message of 40 MB, in bytes: half of its size in the template.
	MaxMemory = 512e6
)

// Package bootstraps tests what only processes show: the functions as they are deployed, each a program of its own,
// behind the local stack. Everything else is simulated, see [frontdesk/internal/prove/localtest.Simulate].
//
// A test in simulated time has the function in its own process. There no main runs, the memory, the variables and the
// CPU belong to all, no time goes by while something is computed, and the network is one of memory. So these tests have
// bootstraps:
//
//	endpoints_test.go        each main runs its handler, and finds its variables, events and log
//	kill_test.go             a killed process loses its variables, but nothing that a client was told
//	coldstart_linux_test.go  what a process allocates before its first event
//	memory_linux_test.go     what a process needs for the largest mails
//	limits_test.go           what takes too long is ended by the clock
//	stillness_linux_test.go  a process is still after its answer, because Lambda freezes it
//	guard_test.go            downloads do not reach what is inside the network
//	tls_linux_test.go        a process reads the bundle of root certificates once
//	curl_test.go             curl is a process
//
// The next ones stand in the packages whose subject they are, as a file, a test or a whole folder. A test of package
// architecture holds the lists: all other tests are simulated, but for those that open a page in Chromium, whose names
// end in InABrowser.
//
//	develop/local/process_test.go      the pools of processes, the Runtime API, ends, crashes, panics in goroutines
//	develop/local/watch_test.go        functions are built anew
//	develop/local/access_test.go       what listens on this machine
//	develop/local/example_test.go      how a program starts a stack
//	develop/local/processes            the kernel ends processes, and locks files
//	develop/local/rebuild              files have a time of change
//	develop/local/TestDataSurvivesARestart               its data is in a file
//	develop/local/TestRequestsAreRemembered              a start and an answer take time
//	develop/local/TestStackThatCannotStartLeavesNothing  a port of this machine is taken
//	develop/local/TestStackWithoutBuiltFunctionsSaysSo   there is no bootstrap
//	develop/local/account/TestDataIsItsOwnersAlone       its data is in a folder
//
//	operate/frontdesk/local_test.go             frontdesk local is a process, and is killed
//	operate/frontdesk/localanew_linux_test.go   the same, at a terminal
//	operate/frontdesk/asking_linux_test.go      a terminal
//	operate/frontdesk/paste_linux_test.go       a terminal
//	operate/frontdesk/terminal_linux_test.go    a terminal
//	operate/frontdesk/commandline/confirm_linux_test.go  a terminal
//	operate/frontdesk/sam_test.go               bootstraps in the environment of sam local
//	operate/frontdesk/TestScripts               the tool's processes use the table
//	operate/frontdesk/TestMoveFromChatwoot      the page's commands run in a shell
//	operate/frontdesk/TestUsersMoveFromOtherSystems                          the same
//	operate/frontdesk/TestWhatIsPrintedCanBePasted                           the same
//	operate/frontdesk/TestATableIsReopenedByAListThatKeepsWhatHasEnded       the same
//
//	prove/bench                                       it measures
//	prove/localtest/TestStackOfTheProjectAnswers      the helper that starts processes is the subject
//	prove/localtest/TestAFunctionThatIsNotBuiltStopsTheTest  there is no bootstrap
//	prove/localtest/TestTimeIsSimulated               compares both clocks
//	prove/deployment/TestTheLineOfAStartThatFails     main writes the line
//	service/docs/TestGeneratedClientMakesEveryCall    the generated client is a process
package bootstraps

package bench

// WholeCore is the MemorySize in MB that buys the time of one core; less buys a part of it.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
const WholeCore = 1769

// MemorySizes are the sizes in MB among which the template chooses.
var MemorySizes = []int{256, 512, 1024, WholeCore}

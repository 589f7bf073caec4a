package bench

// WholeCore is the MemorySize in MB that buys the whole time of one core. Less memory buys a part of it.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
const WholeCore = 1769

// MemorySizes are the sizes, in MB, from which the template takes one for each function.
var MemorySizes = []int{256, 512, 1024, WholeCore}

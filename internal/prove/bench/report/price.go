package main

import (
	"math"

	"frontdesk/internal/prove/bench"
)

// Prices in US dollars, of us-east-1, as of November 2026: those of the first tier, without free tiers.
const (
	pricesOf = "us-east-1, November 2026"

	// https://aws.amazon.com/lambda/pricing/
	lambdaRequest  = 0.20e-6
	lambdaGBSecond = 0.0000133334 // arm64, billed in whole milliseconds

	// https://aws.amazon.com/api-gateway/pricing/
	httpAPIRequest = 1.00e-6 // of up to 512 KB

	// https://aws.amazon.com/dynamodb/pricing/on-demand/
	readUnit  = 0.125e-6 // strongly consistent, up to 4 KB; a transaction's counts twice
	writeUnit = 0.625e-6 // up to 1 KB; a transaction's counts twice

	// https://aws.amazon.com/ses/pricing/
	sesRecipient  = 0.10e-3 // à la carte, and 0.12 for a GB of attachments
	sesEssentials = 0.16e-3 // in the plan that new accounts have

	// https://aws.amazon.com/cloudwatch/pricing/
	loggedGB = 0.50 // written
	keptGB   = 0.03 // kept for a month
	alarms   = 1.40 // 14 of them
	metrics  = 3.00 // 10 that have data in every hour

	storedGB = 0.25 + 0.20 // of a table, and of its point-in-time recovery, for a month
)

// Assumptions about what one machine cannot measure.
const (
	tableTrip = 5e-3  // seconds of a round trip from a function to DynamoDB
	sesTrip   = 50e-3 // and to SES

	loggedRequest = 2_000 // bytes of logs for a request: its line, Lambda's own and the access log
	loggedMail    = 2_000 // bytes of a mail in the log with its two events
)

// usage is what one request takes.
type usage struct {
	cpu         float64 // seconds
	memory      float64 // MB, the function's MemorySize
	trips       float64 // round trips to the table
	mails       float64 // of one recipient each
	read, write float64 // capacity units
	invoked     bool    // by EventBridge, which costs nothing for AWS's own events; else by the HTTP API
}

// billed returns the duration that Lambda bills, in milliseconds: the CPU's time on the function's part of a core,
// and the waiting.
func (u usage) billed() float64 {
	return billed(u.cpu*max(1, bench.WholeCore/u.memory), u.trips, u.mails)
}

// billed returns the duration, in whole milliseconds, of a request that keeps a function busy for some seconds.
func billed(busy, trips, mails float64) float64 {
	return math.Ceil((busy + trips*tableTrip + mails*sesTrip) * 1e3)
}

// costs returns the costs of one request.
func (u usage) costs() costs {
	c := costs{
		ses:    u.mails * sesRecipient,
		api:    httpAPIRequest,
		lambda: lambdaPrice(u.billed(), u.memory),
		table:  u.read*readUnit + u.write*writeUnit,
		logs:   loggedRequest / 1e9 * (loggedGB + keptGB),
	}
	if u.invoked {
		c.api = 0
	}
	return c
}

// price returns the price of one request in US dollars, without its logs.
func (u usage) price() float64 {
	c := u.costs()
	return c.sum() - c.logs
}

// lambdaPrice returns the price in US dollars of one invocation. Billed is its duration in milliseconds, and memory
// its size in MB.
func lambdaPrice(billed, memory float64) float64 {
	return lambdaRequest + billed/1e3*memory/1024*lambdaGBSecond
}

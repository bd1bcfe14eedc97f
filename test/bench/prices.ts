/**
 * List prices in US dollars, us-east-1, on demand, without free tiers and discounts. They change: check
 * them against AWS's price pages before relying on a sum.
 */
export const prices = {
  asOf: '2026-11-21',
  readUnits: 0.125 / 1e6,
  writeUnits: 0.625 / 1e6,
  /** DynamoDB Streams read by a pipe is free; the pipe is charged by requests of up to 64 KB. */
  pipeRequests: 0.4 / 1e6,
  tableGigabyteMonths: 0.25,
  /** Point-in-time recovery. */
  backupGigabyteMonths: 0.2,
  restApiCalls: 3.5 / 1e6,
  lambdaRequests: 0.2 / 1e6,
  /** arm64. */
  lambdaGigabyteSeconds: 0.0000133334,
  logGigabytes: 0.5,
  /** Custom events, of up to 64 KB each. */
  busEvents: 1 / 1e6,
  queueRequests: 0.4 / 1e6,
  tracesRecorded: 5 / 1e6,
};

/** What is not measured here, since nothing here runs in AWS. */
export const assumptions = {
  /** What one request to DynamoDB takes, which a function waits for. */
  roundTripMilliseconds: 5,
  /** Of Lambda's own, beside each line of the function: platform.start and platform.report. */
  platformLogBytes: 700,
  /** Of the gateway's access log, a line for each call. */
  accessLogBytes: 350,
  functionGigabytes: 1,
  /** X-Ray's default sampling: one request a second and five percent of the rest. */
  tracedShare: 0.05,
};

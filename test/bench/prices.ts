/**
 * List prices in US dollars, us-east-1, on demand, without free tiers and discounts; beside each, where it
 * was read. They change: check them against AWS's price pages before relying on a sum.
 */
export const prices = {
  asOf: '2026-11-21',
  /** Halved in November 2024: https://airbyte.com/data-engineering-resources/dynamodb-pricing */
  readUnits: 0.125 / 1e6,
  writeUnits: 0.625 / 1e6,
  /** https://aws.amazon.com/dynamodb/pricing/ */
  tableGigabyteMonths: 0.25,
  /** Point-in-time recovery: https://finops.com.py/services/dynamodb/backups */
  backupGigabyteMonths: 0.2,
  /** https://go-cloud.io/aws-api-gateway-pricing */
  restApiCalls: 3.5 / 1e6,
  /** https://appropri8-astro.pages.dev/tutorials/2025/12/02/deploying-simple-api-aws/page/7 */
  lambdaRequests: 0.2 / 1e6,
  /** arm64: https://cloudchipr.com/blog/aws-lambda-pricing */
  lambdaGigabyteSeconds: 0.0000133334,
  /** https://go-cloud.io/aws-api-gateway-pricing */
  logGigabytes: 0.5,
  /** Custom events, of up to 64 KB each: https://cloudburn.io/blog/amazon-eventbridge-pricing */
  busEvents: 1 / 1e6,
  /** https://cloudburn.io/blog/amazon-sqs-pricing */
  queueRequests: 0.4 / 1e6,
  /** https://aws.amazon.com/de/xray/pricing/ */
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
};

/**
 * The share of a function's invocations that are traced, of so many a second, evenly: the first of each second and five
 * percent of the others, which can't be set: https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html
 */
export const tracedShare = (perSecond: number): number => {
  const first = Math.min(1, perSecond);
  return (first + 0.05 * (perSecond - first)) / perSecond;
};

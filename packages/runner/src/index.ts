export { credentials, region, tableArn } from './account.ts';
export { type AppOptions, type RunningApp, startApp } from './app.ts';
export { startAwsApis } from './aws-apis.ts';
export { Clock } from './clock/clock.ts';
export { machineNow, shiftDate, shiftMs } from './clock/shifted-date.ts';
export { type BusEvent, EventBus } from './events-in/event-bus.ts';
export { FairPool } from './events-in/message-pool.ts';
export { LocalQueue, type MessageQueue } from './events-in/queue.ts';
export { startQueues } from './events-in/queues.ts';
export { TableStream } from './events-out/stream.ts';
export { startStreamMapping } from './events-out/stream-mapping.ts';
export type { StreamRecord } from './events-out/streams-api.ts';
export { startGateway } from './gateway/gateway.ts';
export type { ResponseSummary } from './gateway/response-summary.ts';
export {
  type IssuerIdentity,
  issuerLike,
  type LocalIssuer,
  lastSigningKey,
  startIssuer,
} from './issuer/issuer.ts';
export { Lambda } from './lambda/lambda.ts';
export type { Invocation, LogLine } from './lambda/runtime-process.ts';
export { CliError } from './machine/cli-error.ts';
export { freePort } from './machine/free-port.ts';
export { releaseLock, takeLock } from './machine/lock.ts';
export { checkOrigins, withOriginCheck } from './machine/origin-check.ts';
export { expectFreePort } from './machine/port-in-use.ts';
export { makePrivate, makePrivateDirectory, replaceFile } from './machine/private-file.ts';
export { Processes, stop } from './machine/processes.ts';
export { State } from './state/state.ts';
export { type Storage, startEngine } from './table/engine.ts';
export { passOnTo } from './table/engine-client.ts';
export { adminClient, ensureTable, streamArnOf } from './table/table.ts';
export { accessKeyOf, startTableProxy } from './table/table-proxy.ts';
export {
  type Assembly,
  readAssembly,
  readTable,
  type TableProperties,
} from './template/assembly.ts';
export { functionOf, type LocalFunction, type Statement } from './template/functions.ts';
export { passes, readPatterns } from './template/patterns.ts';
export { type RestApi, readRestApi } from './template/rest-api.ts';
export type { StreamMapping } from './template/stream-mappings.ts';
export { synthesize } from './template/synthesis.ts';

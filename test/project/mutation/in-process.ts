import { randomUUID } from 'node:crypto';
import { globalAgent } from 'node:https';
import { credentialsFor, type Invocation, region, startGateway } from '@leads-and-stars/runner';
import type { Context } from 'aws-lambda';
import { inject } from 'vitest';
import { isRouted, loadOperations } from '../../../infra/operations.ts';

// Serves the API once more: on the service's table, by functions in the process of the tests, so that a mutant is at work
// where requests are answered.

const service = inject('service');

type Handler = (event: unknown, context: Context) => Promise<unknown>;

const contextFor = (seconds: number): Context => {
  const deadline = Date.now() + seconds * 1000;
  const getRemainingTimeInMillis = () => deadline - Date.now();
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis } as Context;
};

/** What the functions find in their own processes, but that these lead past the permissions of each. */
const surround = () => {
  globalAgent.options.ca = service.certificate;
  for (const { environment } of service.functions) Object.assign(process.env, environment);
  // The unit tests expect that no page may call.
  delete process.env.CORS_ORIGINS;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: service.tableEndpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentialsFor(service.tableEndpoint).accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
  });
};

/** Lets the functions log nothing: they log objects, and tests print texts. */
const silence = () => {
  for (const level of ['info', 'error'] as const) {
    const print = console[level];
    console[level] = (...said) => {
      if (typeof said[0] !== 'object') print(...said);
    };
  }
};

const start = async (): Promise<string> => {
  surround();
  silence();
  const handlers = new Map<string, Handler>();
  const routed = (await loadOperations()).filter(isRouted);
  for (const { operation, file } of routed) {
    const { logicalId } = service.functions.find(({ name }) => name.endsWith(`-${operation.id}`))!;
    handlers.set(logicalId, (await import(file)).handler);
  }

  const invoke = async (logicalId: string, event: unknown): Promise<Invocation> => {
    try {
      const result = await handlers.get(logicalId)!(event, contextFor(11));
      return { kind: 'result', payload: JSON.stringify(result) };
    } catch (error) {
      const { name, message } = error as Error;
      return { kind: 'error', errorType: name, errorMessage: message };
    }
  };
  return (await startGateway(service.api, { port: 0, invoke })).baseUrl;
};

// Once for all files of a process.
const kept = globalThis as { baseUrl?: Promise<string> };
kept.baseUrl ??= start();
service.baseUrl = await kept.baseUrl;

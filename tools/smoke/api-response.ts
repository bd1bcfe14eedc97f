import { CliError } from '@leads-and-stars/runner';
import * as z from 'zod/mini';
import { errorBody } from '../../lib/errors/error-body.ts';
import { type ErrorCode, errorKinds } from '../../lib/errors/errors.ts';
import { fetchApi } from '../cli/fetch-api.ts';
import type { SmokeTarget } from './target.ts';

export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  body: any;
}

/** Longer than the service's own timeouts, and never less than this. */
const requestTimeoutMs = 20_000;

/** Sends a request to the service. Throws an error of one sentence if there is no response, or the run is to end. */
export const ask = async (
  { baseUrl, stopped, waitMs }: Pick<SmokeTarget, 'baseUrl' | 'stopped' | 'waitMs'>,
  method: string,
  path: string,
  init: { headers?: Record<string, string>; body?: string } = {},
): Promise<ApiResponse> => {
  stopped?.throwIfAborted();
  const signal = AbortSignal.timeout(Math.max(requestTimeoutMs, waitMs));
  const request = { method, ...init, signal };
  try {
    const response = await fetchApi(`${baseUrl}${path}`, request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new Error(`${method} ${path} has no answer: ${why}.`);
  }
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The beginning of a response's body, for people. */
const excerptOf = ({ text }: ApiResponse): string =>
  text === '' ? 'nothing' : JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** How a response differs from the expected status: a sentence for each difference. */
export const differencesOfStatus = (response: ApiResponse, status: number): string[] =>
  response.status === status
    ? []
    : [
        `The status is ${response.status} instead of ${status}. The body is ${excerptOf(response)}.`,
      ];

/** How a response differs from the service's error with this code: a sentence for each difference. */
export const differencesOfError = (response: ApiResponse, code: ErrorCode): string[] => {
  const { status, message } = errorKinds[code];
  const differences = differencesOfStatus(response, status);
  const type = response.headers.get('content-type');
  if (type !== 'application/json') differences.push(`The content type is ${type}.`);
  const { data } = z.safeParse(errorBody, response.body);
  if (!data) return [...differences, `The body is not the error envelope: ${excerptOf(response)}.`];
  const { error } = data;
  if (error.code !== code) differences.push(`The code is ${error.code} instead of ${code}.`);
  else if (error.message !== message) differences.push(`The message is “${error.message}”.`);
  const id = response.headers.get('x-request-id');
  if (id !== error.request_id) {
    differences.push(`X-Request-Id is ${id}, and request_id in the body ${error.request_id}.`);
  }
  return differences;
};

/** Says of each difference which request shows it. */
export const withRequest = (request: string, differences: string[]): string[] =>
  differences.map((one) => `${request}: ${one}`);

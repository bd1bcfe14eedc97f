import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { components } from './functions-schema.ts';
import { wait } from './retry.ts';

type Schemas = components['schemas'];

/** Each function, with what it takes and answers. */
interface Signatures {
  provisionOrganization: [
    Schemas['ProvisionOrganizationInput'],
    Schemas['ProvisionOrganizationAnswer'],
  ];
  putPlan: [Schemas['PutPlanInput'], Schemas['PutPlanAnswer']];
  spendStars: [Schemas['SpendStarsInput'], Schemas['SpendStarsAnswer']];
  holdStars: [Schemas['HoldStarsInput'], Schemas['HoldStarsAnswer']];
  captureHold: [Schemas['CaptureHoldInput'], Schemas['CaptureHoldAnswer']];
  releaseHold: [Schemas['ReleaseHoldInput'], Schemas['ReleaseHoldAnswer']];
}
type Name = keyof Signatures;

export const functionNames = [
  'provisionOrganization',
  'putPlan',
  'spendStars',
  'holdStars',
  'captureHold',
  'releaseHold',
] as const satisfies Name[];

export interface CallOptions {
  /** Ends the call, also while it waits to try again. */
  signal?: AbortSignal;
}

/** The functions without a route, by their names. */
export type Functions = {
  [N in Name]: (input: Signatures[N][0], options?: CallOptions) => Promise<Signatures[N][1]>;
};

export interface FunctionsOptions {
  lambda: LambdaClient;
  /** The name of the stack, such as `LeadsAndStars`. */
  stack: string;
  /** How often a function is invoked at most for one call, the first time included. 5 by default. */
  attempts?: number;
  /** Milliseconds to wait at most before the second attempt, doubling with each. 200 by default. */
  firstDelayMs?: number;
}

/** `unknown` is a function that ended without an answer of its own: it was stopped, say. */
export type FunctionErrorCode = Schemas['FunctionErrorCode'] | 'unknown';

/** A function refused a call, or failed in every attempt. Rely on `code`. */
export class FunctionError extends Error {
  readonly code: FunctionErrorCode;
  readonly functionName: string;

  constructor(functionName: string, code: FunctionErrorCode, message: string) {
    super(message);
    this.name = 'FunctionError';
    this.code = code;
    this.functionName = functionName;
  }
}

/**
 * The functions of a deployed stack, for programs that may invoke them (`lambda:InvokeFunction`). Ids make
 * each call safe to repeat, whatever happened to it: so one that fails in a way that passes is made again
 * here, and a program that was killed makes it again with the same ids. Throws `FunctionError`, and what
 * the SDK throws when Lambda can't be reached.
 */
export const createFunctions = (options: FunctionsOptions): Functions =>
  Object.fromEntries(
    functionNames.map((name) => [
      name,
      (input: unknown, { signal }: CallOptions = {}) => repeated(options, name, input, signal),
    ]),
  ) as unknown as Functions;

const passing: ReadonlySet<FunctionErrorCode> = new Set([
  'write_conflict',
  'unavailable',
  'timeout',
  'internal',
  'unknown',
]);

const repeated = async (
  options: FunctionsOptions,
  name: Name,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> => {
  const { attempts = 5, firstDelayMs = 200 } = options;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await invoke(options, name, input, signal);
    } catch (error) {
      if (attempt >= attempts || !mayPass(error)) throw error;
      await wait(Math.random() * firstDelayMs * 2 ** (attempt - 1), signal);
    }
  }
};

/** Of what the SDK throws: no answer, or one that says that Lambda is busy or in trouble. */
const mayPass = (error: unknown): boolean => {
  if (error instanceof FunctionError) return passing.has(error.code);
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  if (name === 'AbortError') return false;
  const status = $metadata?.httpStatusCode ?? 503;
  return status === 429 || status >= 500;
};

const invoke = async (
  { lambda, stack }: FunctionsOptions,
  name: Name,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> => {
  const FunctionName = `${stack}-${name}`;
  const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(input) });
  const output = await lambda.send(command, signal && { abortSignal: signal });
  const text = output.Payload?.transformToString() || 'null';
  if (output.FunctionError === undefined) return JSON.parse(text);
  const { errorType, errorMessage = 'The function gave no answer.' } = JSON.parse(text) ?? {};
  throw new FunctionError(FunctionName, isCode(errorType) ? errorType : 'unknown', errorMessage);
};

/** Codes are words in lower case; what Lambda says by itself is not. */
const isCode = (type: unknown): type is FunctionErrorCode => /^[a-z_]+$/.test(String(type));

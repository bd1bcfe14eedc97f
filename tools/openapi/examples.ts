/** The parts of a request and its answer that are shown as an example. */
export interface Exchange {
  operationId: string;
  /** Distinguishes the examples of an operation; a component's own where `operationId` is empty. */
  name: string;
  summary: string;
  path: Record<string, string>;
  body?: unknown;
  answer: { status: number; body?: unknown };
}

/** Answers of a status, as OpenAPI's examples. */
export const examplesOf = (exchanges: readonly Exchange[], status: number) =>
  Object.fromEntries(
    exchanges
      .filter(({ answer }) => answer.status === status && answer.body !== undefined)
      .map(({ name, summary, answer }) => [name, { summary, value: answer.body }]),
  );

/** Request bodies, as OpenAPI's examples by the names of their answers; not those that are invalid. */
export const requestExamplesOf = (exchanges: readonly Exchange[]) =>
  Object.fromEntries(
    exchanges
      .filter(({ body, answer }) => body !== undefined && answer.status !== 400)
      .map(({ name, summary, body }) => [name, { summary, value: body }]),
  );

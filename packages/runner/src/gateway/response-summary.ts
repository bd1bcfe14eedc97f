/** A request to the gateway, and its response. */
export interface ResponseSummary {
  requestId: string;
  method: string;
  stage: string;
  /** The route's, as `/things/{id}`; undefined where there is none at the address that was asked for. */
  path: string | undefined;
  /** Parameters in the path, decoded. */
  parameters: Record<string, string>;
  hasQuery: boolean;
  status: number;
  milliseconds: number;
  /** Set where the gateway answered in the function's place, with why where the code does not say it. */
  refusal: { code: string; why: string | undefined } | undefined;
}

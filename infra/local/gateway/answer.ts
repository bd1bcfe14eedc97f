/** What the gateway has answered. */
export interface Answer {
  requestId: string;
  method: string;
  /** As it was sent, with the query. */
  url: string;
  status: number;
  milliseconds: number;
  /** Set where the gateway answered in the function's place. */
  refusal: { code: string; why: string } | undefined;
}

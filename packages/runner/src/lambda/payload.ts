/** Lambda's quota of an event, and of an answer, as JSON: in bytes. */
export const mostPayload = 6_291_556;

/** Lambda's quota of an event, and of an answer, as JSON: in bytes. */
export const mostPayloadBytes = 6_291_556;

/** The versions of the protocol that are spoken here, the newest first. */
export const versions = ['2026-07-28', '2025-11-25', '2025-06-18'];

/** A JSON-RPC request, or without an id, a notification. */
export interface RpcMessage {
  id: string | number | undefined;
  method: string;
  params: Record<string, unknown>;
}

/** An error by JSON-RPC's code, and HTTP's status. */
export class ProtocolError extends Error {
  readonly status: number;
  readonly error: { code: number; message: string; data?: unknown };
  constructor(code: number, message: string, status = 200, data?: unknown) {
    super(message);
    this.status = status;
    this.error = { code, message, data };
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The message that was sent. An answer, which clients of 2025 may send, asks for nothing, as a notification. */
export const parseMessage = (sent: unknown): RpcMessage => {
  const { jsonrpc, id, method, params = {}, result, error } = isObject(sent) ? sent : {};
  const isAnswer = method === undefined && (result ?? error) !== undefined;
  const hasId = typeof id === 'string' || Number.isInteger(id);
  const isOurs = isAnswer || (typeof method === 'string' && (hasId || id === undefined));
  if (jsonrpc !== '2.0' || !isOurs || !isObject(params)) {
    throw new ProtocolError(-32600, 'The body must be one JSON-RPC request', 400);
  }
  return { id: isAnswer ? undefined : (id as RpcMessage['id']), method: String(method), params };
};

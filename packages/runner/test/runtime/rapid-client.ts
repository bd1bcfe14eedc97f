import { request } from 'node:http';

// In place of the runtime client's native module, which talks to the Runtime API by curl: the two calls that
// are left to it when `AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1` is set. Like it, they return nothing.

const post = (id: string, kind: 'response' | 'error', body: string): void => {
  const url = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation/${id}/${kind}`;
  request(url, { method: 'POST' }, (response) => response.resume()).end(body);
};

export const done = (id: string, body: string): void => post(id, 'response', body);

export const error = (id: string, body: string, _xray: string): void => post(id, 'error', body);

import type { ErrorRequestHandler } from 'express';
import { errorOf } from './work.ts';

export const envelope: ErrorRequestHandler = (error, request, response, _next) => {
  const { status, body } = errorOf(error, request.get('x-request-id') ?? '');
  response.status(status).json(body);
};

import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { errorOf } from './work.ts';

@Catch()
export class Envelope implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost) {
    const { status, body } = errorOf(error, '');
    host.switchToHttp().getResponse<Response>().status(status).json(body);
  }
}

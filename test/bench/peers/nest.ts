import 'reflect-metadata';
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Headers,
  Module,
  Post,
  Res,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Response } from 'express';
import serverless from 'serverless-http';
import { parse } from 'zod/mini';
import { leadInput } from '../../../lib/leads/lead.ts';
import { createLead, errorOf, userOf } from './work.ts';

@Catch()
class Envelope implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost) {
    const { status, body } = errorOf(error, '');
    host.switchToHttp().getResponse<Response>().status(status).json(body);
  }
}

@Controller('leads')
class LeadsController {
  @Post()
  async create(
    @Headers() sent: Record<string, string>,
    @Body() input: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const userId = await userOf(sent.authorization);
    const organizationId = sent['x-organization-id'] ?? '';
    const caller = { organizationId, userId, idempotencyKey: sent['idempotency-key'] };
    const { headers, body } = await createLead(caller, parse(leadInput, input));
    response.set(headers);
    return body;
  }
}

@Module({ controllers: [LeadsController] })
class App {}

const started = NestFactory.create(App, { logger: false }).then(async (app) => {
  app.useGlobalFilters(new Envelope());
  await app.init();
  return serverless(app.getHttpAdapter().getInstance());
});

export const handler = async (event: object, context: object) => (await started)(event, context);

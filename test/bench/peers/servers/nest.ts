import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Body, Controller, Get, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { AnyOperation } from '../../../../lib/operations/kinds/operation.ts';
import { Envelope } from '../nest-envelope.ts';
import { listening, operations, perform } from './work.ts';

type Sent = Record<string, string>;

const answer = async (
  operation: AnyOperation,
  request: Request,
  response: Response,
  body?: unknown,
) => {
  const reply = await perform(operation, {
    authorization: request.get('authorization'),
    organizationId: request.get('x-organization-id'),
    idempotencyKey: request.get('idempotency-key'),
    path: request.params as Sent,
    query: new URL(request.originalUrl, 'http://localhost').search,
    body,
  });
  response.set(reply.headers ?? {});
  return reply.body;
};

@Controller('v1')
class Api {
  @Post('leads')
  createLead(
    @Req() request: Request,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    return answer(operations.createLead, request, response, body);
  }

  @Get('leads')
  listLeads(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    return answer(operations.listLeads, request, response);
  }

  @Get('leads/:lead_id')
  getLead(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    return answer(operations.getLead, request, response);
  }

  @Get('billing/balance')
  getBalance(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    return answer(operations.getBalance, request, response);
  }

  @Get('pipelines/:pipeline_id/summary')
  getPipelineSummary(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    return answer(operations.getPipelineSummary, request, response);
  }
}

@Module({ controllers: [Api] })
class App {}

const app = await NestFactory.create(App, { logger: false });
app.useGlobalFilters(new Envelope());
await app.listen(0, '127.0.0.1');
listening((app.getHttpServer().address() as AddressInfo).port);

import { CliError, type Clock, checkOrigins } from '@leads-and-stars/runner';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import type { ClockTime } from './clock-time.ts';

/** Where the clock is told and moved, at the gateway's address. */
export const clockPath = '/clock';

const moved = z.union([z.strictObject({ later: z.number() }), z.strictObject({ at: z.number() })]);

/** Serves the clock to the command that moves it. */
export const registerClock = (server: FastifyInstance, clock: Clock): void => {
  server.register(async (pages) => {
    checkOrigins(pages);
    const told = () => ({ time: new Date().toISOString() });
    pages.get(clockPath, told);
    // Commands follow one another: what one makes due is done before the next.
    let last: Promise<unknown> = Promise.resolve();
    pages.post(clockPath, async ({ body }, reply) => {
      const time: ClockTime = z.parse(moved, JSON.parse(String(body)));
      const move = last.then(() => clock.move('later' in time ? time.later : time.at - Date.now()));
      last = move.catch(() => {});
      try {
        await move;
        return told();
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        return reply.code(409).send({ error: error.message });
      }
    });
  });
};

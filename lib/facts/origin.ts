import * as z from 'zod/mini';

/** Who acts for all organizations: a platform key, billing by the bus, an administrator's command. */
export const platform = 'platform';

/** Who made a change: a user, an API key of the organization, or the platform. */
export const maker = () => z.union([z.guid(), z.literal(platform)]);

/** Who made a change, and by which request. Both are null where time did it, whoever's request found that. */
export interface Origin {
  by: string | null;
  requestId: string | null;
}

/** The origin of a change that a request makes. */
export interface CallerOrigin extends Origin {
  by: string;
  requestId: string;
}

/** The origin of what the clock did. */
export const ofTime: Origin = { by: null, requestId: null };

/** The origin of an administrator's command, which has no request. */
export const ofCommand: Origin = { by: platform, requestId: null };

const requestId = () => z.string().check(z.maxLength(200));

/** Who made a change and by which request, as it is told. */
export const toldOrigin = {
  user_id: z
    .nullable(maker())
    .check(
      z.describe(
        'Who made it: a user, or an API key. `platform` for the company’s own backend. `null` where time did it.',
      ),
    ),
  request_id: z
    .nullable(requestId())
    .check(
      z.describe(
        'The `X-Request-Id` of the request that made it. Of an event of the bus, its id there. `null` where time, or an administrator, did it.',
      ),
    ),
};

/** An origin as it is stored: absent where it is null. */
export const storedOrigin = {
  user_id: z.optional(maker()),
  request_id: z.optional(z.string()),
};

export const toStoredOrigin = ({ by, requestId }: Origin) => ({
  user_id: by ?? undefined,
  request_id: requestId ?? undefined,
});

export const toToldOrigin = ({
  user_id = null,
  request_id = null,
}: {
  user_id?: string | null | undefined;
  request_id?: string | null | undefined;
}) => ({ user_id, request_id });

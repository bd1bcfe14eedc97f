import { ApiError } from '../../errors/errors.ts';
import type { ReachedLimit } from './limit-rules.ts';

/** The error for what would go beyond a limit: it tells which limit is the tightest. */
export const toLimitError = ({
  kind,
  name,
  by_default,
  limit: { period },
  left_stars,
  resets_at,
}: ReachedLimit): ApiError =>
  new ApiError('spend_limit_reached', {
    details: [
      {
        path: 'stars',
        message: 'are more than a spend limit leaves',
        spend_limit: { kind, name, by_default, period, left_stars, resets_at },
      },
    ],
  });

import * as z from 'zod/mini';
import { userId } from './fields.ts';
import { queryParameter } from './query-parameter.ts';

/** The query parameter of lists of what users make. */
export const createdBy = () =>
  z
    .optional(queryParameter(userId()))
    .check(z.describe('Only what this user made. It stays when the user leaves.'));

import type { ApiError, ErrorCode } from '../errors/errors.ts';
import { type ToolResult, toResult } from './result.ts';

/** What a model can do about an error. */
const steps: Partial<Record<ErrorCode, string>> = {
  invalid_request:
    'Correct the arguments that details name, and call again. whoami has the ids, stages and options.',
  invalid_cursor: 'Call again without the cursor, or with the filters that it came with.',
  insufficient_stars:
    'Nothing was spent. Spend at most available_stars, or tell the user that stars have to be bought.',
  spend_limit_reached:
    'Nothing was spent. Spend at most left_stars until resets_at, or tell the user that the limit is reached.',
  forbidden: 'Your key may not do this: details say why. Do without, or tell the user.',
  not_found: 'Take ids from find_leads or whoami, never guess them.',
  duplicate_lead:
    'Nothing was saved. Read the lead that details name with get_lead, and save to it by lead_id.',
  event_id_reused:
    'Nothing was spent: this job was paid with other stars or another purpose. Give other work another job.',
  write_conflict: 'Nothing was done. Call again with the same arguments.',
  too_late: 'Nothing was spent. Call again with a later not_after, or without it.',
};

/** Errors that are not of what was asked, but of who asks, how often, or of the service: HTTP tells them. */
const isOfHttp = ({ kind: { status } }: ApiError): boolean =>
  status === 401 || status === 429 || status >= 500;

/** The error as a tool's result, with what to do next. Throws the error where it is none for the model. */
export const toRefusal = (error: ApiError): ToolResult => {
  if (isOfHttp(error)) throw error;
  const { code, message, details } = error;
  const next = steps[code] ?? 'Tell the user.';
  return toResult([{ error: { code, message, details }, next }], true);
};

import { places } from '../../../lib/table/keys.ts';
import { jsonReply } from './failure-replies.ts';
import type { Step } from './step.ts';

type StoredItem = { pk: { S: string }; sk: { S: string } };

const isGuard = ({ pk, sk }: StoredItem) =>
  [places.contactGuard, places.externalId].some((place) => place.find({ pk: pk.S, sk: sk.S }));

/** Reads find no guard of a contact or external id: as if each were put after it was looked for. Queries do find them. */
export const withoutGuards: Step = async (request, pass) => {
  const reply = await pass();
  const body = JSON.parse(reply.body.toString());
  if (request.operation === 'GetItem') {
    return body.Item && isGuard(body.Item) ? jsonReply(200, { ...body, Item: undefined }) : reply;
  }
  if (request.operation !== 'BatchGetItem' || !body.Responses) return reply;
  const Responses = Object.fromEntries(
    Object.entries(body.Responses as Record<string, StoredItem[]>).map(([table, items]) => [
      table,
      items.filter((item) => !isGuard(item)),
    ]),
  );
  return jsonReply(200, { ...body, Responses });
};

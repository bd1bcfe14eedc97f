import * as z from 'zod/mini';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import type { Write } from '../table/table.ts';
import { put } from '../table/write.ts';

/** The name of whoever acts. It is written with the membership or the API key, and stays when they go. */
export const nameKind = new Kind(places.name, {
  holds: 'what a user or an API key is called, also one that has gone',
  attributes: z.object({ name: z.optional(z.string()) }),
});

/** Keeps the name of a user or an API key; `null` takes it away. */
export const putName = (
  organizationId: string,
  id: string,
  name: string | null,
): Write<'PutItem'> => put(nameKind.key({ organizationId, id }), { name: name ?? undefined });

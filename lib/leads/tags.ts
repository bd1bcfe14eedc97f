import * as z from 'zod/mini';
import { text } from '../schema/fields.ts';

/** How many tags a lead can have at most. */
export const mostTags = 20;

const tagText = () => text(50);

/** Characters that show nothing, but for those that belong to the character before, as in emoji and Hangul. */
const invisibleEdges =
  /^[\p{White_Space}\p{Cc}\p{DI}\u2800]+|[[\p{White_Space}\p{Cc}\p{DI}\u2800]--[\p{Variation_Selector}\u115f\u1160\u{e0020}-\u{e007f}]]+$/gv;

/** Tags that look the same are the same: nothing invisible around them, and one Unicode form. */
const normalizeTag = (value: string): string => value.replace(invisibleEdges, '').normalize('NFC');

/** A tag as it is sent: 1 to 50 characters then, and as it is stored. Some characters have more in NFC. */
export const tag = () => z.pipe(z.pipe(tagText(), z.transform(normalizeTag)), tagText());

const tagList = <T extends z.ZodMiniType<string>>(one: T) =>
  z.array(one).check(
    z.maxLength(mostTags, `must have at most ${mostTags} tags`),
    z.refine((list) => new Set(list).size === list.length, {
      error: 'must have no doubles; blanks around a tag do not count',
    }),
    z.meta({ uniqueItems: true }),
  );

/** The tags of a lead as they are sent. */
export const tags = () => tagList(tag());
/** Tags as they are answered. */
export const storedTags = () => tagList(tagText());

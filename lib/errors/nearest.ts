/** Longer texts are like no name. */
const mostCharacters = 40;
/** The distance of two names where the longer begins or ends with the shorter: as little as one letter and a half. */
const partDistance = 1.5;

/** The name that is most like a text which is none of them; undefined where none is much like it. */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  if (text.length > mostCharacters) return undefined;
  const wanted = lettersOf(text);
  const [first] = names
    .map((name) => ({ name, distance: distanceOf(wanted, lettersOf(name)) }))
    .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.distance - b.distance);
  return first?.name;
};

/** The end of a message about a text that is no name here: says which name may be meant. Empty where none is much like it. */
export const perhaps = (text: string, names: readonly string[]): string => {
  const name = nearest(text, names);
  return name === undefined ? '' : `; perhaps ${name} is meant`;
};

/** `ownerId` and `Owner-ID` are `owner_id`. */
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Infinite where more than a third of the letters differ, and neither is a part of the other. */
const distanceOf = (wanted: string, name: string): number => {
  const isPart = isPartOf(wanted, name) || isPartOf(name, wanted);
  const asPart = isPart ? partDistance : Number.POSITIVE_INFINITY;
  const most = wanted.length / 3;
  if (Math.abs(wanted.length - name.length) > most) return asPart;
  const edited = editDistance(wanted, name);
  return edited <= most ? Math.min(edited, asPart) : asPart;
};

const isPartOf = (part: string, whole: string): boolean =>
  part.length >= 3 && (whole.startsWith(part) || whole.endsWith(part));

/** Letters to add, remove, change or swap with their neighbours (optimal string alignment). */
const editDistance = (a: string, b: string): number => {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        last[j]! + 1,
        row[j - 1]! + 1,
        last[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
};

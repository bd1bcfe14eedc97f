// The fields of a form, by whatever way a page sends it, and the note that a person reads of them. For form.mjs.

/** What a person can read of any value. What is empty is an empty text. */
const textOf = (value) => {
  if (value === null) return '';
  if (Array.isArray(value)) return joined(value.map(textOf));
  if (value instanceof File) return value.name && `${value.name} (a file, which is not kept)`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return String(value).toWellFormed().trim();
  const inside = joined(fieldsOf(Object.entries(value)).map((field) => field.join(': ')));
  return inside && `(${inside})`;
};

const joined = (texts) => texts.filter(Boolean).join(', ');

/** Each with its name and text. One without text is absent. */
const fieldsOf = (entries) =>
  entries
    .map(([name, value]) => [textOf(name).replace(/\s+/g, ' '), textOf(value)])
    .filter(([, text]) => text);

/** A number as it was written: JavaScript's may have lost digits. Before Node.js 21, nothing tells how that was. */
const exact = (_name, value, { source = String(value) } = {}) =>
  typeof value === 'number' && source !== String(value) ? source : value;

/** The name and the text of each field, by the type and the bytes of a body. None if it is no form. */
export const readFields = async (type, body) => {
  try {
    const text = body.toString().trim();
    // Many pages send JSON under another type, or none.
    if (text.startsWith('{')) return fieldsOf(Object.entries(JSON.parse(text, exact)));
    const data = await new Response(body, { headers: { 'content-type': type } }).formData();
    const names = [...new Set(data.keys())];
    return fieldsOf(names.map((name) => [name, data.getAll(name)]));
  } catch {
    return [];
  }
};

/** Of a note, as the API takes it. */
const mostCharacters = 10_000;
const mostLines = 100;

/** A line for each field. Where that is too long, the longest lines are cut, and say so. */
export const noteOf = (fields) => {
  const lines = fields.map((field) => field.join(': '));
  const more = lines.splice(mostLines).length;
  if (more > 0) lines.push(`… (${more} more fields)`);
  // The short ones come first: what they leave is for the long ones.
  let [room, left] = [mostCharacters + 1, lines.length];
  const byLength = [...lines.keys()].sort((a, b) => lines[a].length - lines[b].length);
  for (const i of byLength) {
    lines[i] = shorten(lines[i], Math.floor(room / left) - 1);
    room -= lines[i].length + 1;
    left--;
  }
  return lines.join('\n');
};

const shorten = (line, most) => {
  if (line.length <= most) return line;
  const kept = line.slice(0, most - 40).toWellFormed();
  return `${kept} … (${line.length - kept.length} more characters)`;
};

/** Texts that show nothing: what each is, and the text. */
export const invisible: [string, string][] = [
  ['nothing', ''],
  ['spaces', ' \u00a0\u3000\t\n'],
  ['a zero-width space', '\u200b'],
  ['a word joiner', '\u2060'],
  ['a soft hyphen', '\u00ad'],
  ['a Hangul filler', '\u3164'],
  ['a narrow Hangul filler', '\uffa0'],
  ['a byte order mark', '\ufeff'],
  ['marks of direction', '\u200e\u202e\u2066'],
  ['a variation selector', '\ufe0f'],
  ['tags of nothing', '\u{e0067}\u{e007f}'],
  ['controls', '\u0000\u001b\u007f\u0085'],
  ['an empty pattern of Braille', '\u2800'],
  ['several of them', ' \u200b \u3164'],
];

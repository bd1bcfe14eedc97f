/** ISO 4217: currencies whose smallest unit is no hundredth, by their decimals. `Intl` has what shops write, as 0 of HUF. */
const exceptions: readonly (readonly [decimals: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** The decimals of a currency’s smallest unit. */
export const decimalsOf = (currency: string): number =>
  exceptions.find(([, codes]) => codes.split(' ').includes(currency))?.[0] ?? 2;

/** Languages whose signs of currencies are known. */
const languages =
  'en pt pt-PT es fr de it nl da sv nb fi pl cs sk hu ro bg el tr ru uk hr sl et lv lt ca id ms vi th ja ko zh zh-Hant ar he hi fa';

const known = new Map<string, ReadonlySet<string>>();

/** Whether a text is the code of a currency or a sign of it, such as `R$` of BRL. `$` is of all dollars and of most pesos. */
export const isSignOf = (currency: string, text: string): boolean => {
  const signs = known.get(currency) ?? signsOf(currency);
  known.set(currency, signs);
  return signs.has(plain(text));
};

/** Whether a text is a sign or a code of some currency. */
export const isCurrency = (text: string): boolean =>
  /\p{Sc}/u.test(text) || Intl.supportedValuesOf('currency').includes(text.trim().toUpperCase());

/** Whether a cell of a column of currencies means this currency: `BRL`, `R$`, or `BRL - Brazilian Real`. */
export const means = (cell: string, currency: string): boolean =>
  isSignOf(currency, cell) ||
  cell
    .toUpperCase()
    .split(/[^A-Z]+/)
    .includes(currency);

const signsOf = (currency: string): Set<string> => {
  const signs = new Set([plain(currency)]);
  for (const language of languages.split(' ')) {
    for (const currencyDisplay of ['symbol', 'narrowSymbol'] as const) {
      const format = new Intl.NumberFormat(language, {
        style: 'currency',
        currency,
        currencyDisplay,
      });
      const sign = format.formatToParts(1).find(({ type }) => type === 'currency')?.value;
      // After a number, these may be thousands or millions.
      if (sign && !/^[kmbt]$/i.test(sign)) signs.add(plain(sign));
    }
  }
  return signs;
};

const plain = (sign: string): string => sign.replace(/[\p{Cf}\p{Zs}.]/gu, '').toLowerCase();

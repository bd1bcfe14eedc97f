import { days, type Stars, starsByDay, story } from './story.ts';

export type Theme = 'light' | 'dark';

const themes = {
  light: { back: '#ffffff', text: '#1f2328', faint: '#59636e', line: '#d1d9e0' },
  dark: { back: '#0d1117', text: '#f0f6fc', faint: '#9198a1', line: '#3d444d' },
} as const;

/** From the bottom to the top: what stays longest is spent last. */
const layers = {
  staying: { name: 'pack stars that stay', light: '#4269d0', dark: '#6b8cff' },
  expiring: { name: 'pack stars that expire', light: '#3ca951', dark: '#56c271' },
  monthly: { name: 'monthly stars', light: '#efb118', dark: '#f2c14e' },
  held: { name: 'held', light: '#ff725c', dark: '#ff8a78' },
} as const;
type Layer = keyof typeof layers;
const names = Object.keys(layers) as Layer[];

const [width, height] = [860, 470];
const plot = { left: 48, right: width - 20, top: 92, bottom: 330 };
const most = 200;

const x = (on: number): number => plot.left + (on / days) * (plot.right - plot.left);
const y = (stars: number): number => plot.bottom - (stars / most) * (plot.bottom - plot.top);

/** What expires when, as SVG. */
export const picture = (theme: Theme): string => {
  const { back, text, faint, line } = themes[theme];
  const moments = starsByDay();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title" font-family="Arial, Helvetica, sans-serif" font-size="12">
<title id="title">The stars of a wallet over 40 days, by what becomes of them</title>
<rect width="${width}" height="${height}" fill="${back}"/>
${legend(theme, text)}
${[0, 50, 100, 150, 200].map((stars) => gridLine(stars, line, faint)).join('\n')}
${names.map((_, i) => area(moments, i, theme)).join('\n')}
${story.map(({ on, name }) => mark(on, name, faint, text)).join('\n')}
${ends(text)}
</svg>
`;
};

const legend = (theme: Theme, text: string): string =>
  names
    .map((name, i) => {
      const left = plot.left + i * 190;
      return `<rect x="${left}" y="14" width="14" height="14" fill="${layers[name][theme]}"/><text x="${left + 20}" y="26" fill="${text}">${layers[name].name}</text>`;
    })
    .join('\n');

const gridLine = (stars: number, line: string, faint: string): string =>
  `<path d="M${plot.left} ${y(stars)}H${plot.right}" stroke="${line}"/><text x="${plot.left - 8}" y="${y(stars) + 4}" fill="${faint}" text-anchor="end">${stars}</text>`;

/** The area of a layer: from the sum of those below it to the sum with it. */
const area = (moments: readonly Stars[], layer: number, theme: Theme): string => {
  const sum = (moment: Stars, count: number) =>
    names.slice(0, count).reduce((stars, name) => stars + moment[name], 0);
  const edge = (count: number) => moments.map((one) => `${round(x(one.on))} ${y(sum(one, count))}`);
  const path = [...edge(layer + 1), ...edge(layer).reverse()].join('L');
  return `<path d="M${path}Z" fill="${layers[names[layer]!][theme]}"/>`;
};

/** A day on which something happens, with its name below. */
const mark = (on: number, name: string, faint: string, text: string): string => {
  const at = round(x(on));
  return `<path d="M${at} ${plot.bottom}v6" stroke="${faint}"/><text transform="translate(${at + 4} ${plot.bottom + 18}) rotate(38)" fill="${text}"><tspan fill="${faint}">${on}</tspan> ${name}</text>`;
};

/** The two moments at which stars are gone by the clock alone. */
const ends = (text: string): string =>
  [
    { on: 24, name: 'the pack expires' },
    { on: 30, name: 'the period ends' },
  ]
    .map(
      ({ on, name }) =>
        `<path d="M${x(on)} ${plot.top - 16}V${plot.bottom}" stroke="${text}" stroke-dasharray="4 4"/><text x="${x(on)}" y="${plot.top - 24}" fill="${text}" text-anchor="middle">${name}</text>`,
    )
    .join('\n');

const round = (value: number): number => Math.round(value * 10) / 10;

// Draws what was used, as `leads usage --format ndjson` writes it: a bar for each name or day. docs/stars.md says how.
import { text } from 'node:stream/consumers';

const lines = (await text(process.stdin)).split('\n').filter(Boolean);
const items = lines.map((line) => JSON.parse(line));
// Days stay in their order, names come by their stars.
if (items.some(({ day }) => day === undefined)) items.sort((a, b) => b.spent_stars - a.spent_stars);
const most = Math.max(1, ...items.map(({ spent_stars }) => spent_stars));

// Names of features and spenders have no sign that means something in XML.
const nameOf = ({ day, name }) => day ?? name ?? '(none)';
const nameWidth = 16 + 8 * Math.max(0, ...items.map((item) => nameOf(item).length));
const [rowHeight, barWidth, numberWidth] = [24, 400, 300];
const rowOf = (item, i) => {
  const { spent_stars, refunded_stars } = item;
  const width = Math.round((spent_stars / most) * barWidth);
  const told = spent_stars + (refunded_stars > 0 ? `, ${refunded_stars} refunded` : '');
  const y = i * rowHeight;
  return `  <text x="${nameWidth - 8}" y="${y + 16}" text-anchor="end">${nameOf(item)}</text>
  <rect x="${nameWidth}" y="${y + 4}" width="${width}" height="${rowHeight - 8}"/>
  <text x="${nameWidth + width + 8}" y="${y + 16}">${told}</text>`;
};

console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${nameWidth + barWidth + numberWidth}" height="${items.length * rowHeight}">
  <style>text { font: 13px sans-serif; fill: #24292f } rect { fill: #0969da }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #58a6ff } }</style>
${items.map(rowOf).join('\n')}
</svg>`);

import { alikeText } from './values/plain-text.ts';

/** The cells of a row, and the line that they begin in. */
export interface Cells {
  line: number;
  cells: string[];
  /** Whether an empty line is before it. */
  isApart: boolean;
}

/** Rows of a footer at most: of more below an empty line, each has a name alone. */
const mostRows = 20;

// Remarks of reports in the languages of most exports, without accents and upper case.
const remark =
  /^(?:copyright (?:\(c\)|©|\d{4})|©|confidential information\b|(?:report |relatorio |informe )?(?:(?:generated|exported|printed|created|run|filtered) (?:by|on|at|from)|(?:gerado|generado|exportado|impresso|impreso) (?:por|em|el|en)|(?:genere|exporte|imprime) (?:par|le)|(?:erstellt|exportiert|gedruckt) (?:von|am))\b|(?:page|pagina|seite) \d+ (?:of|de|von|di)\b|\d+ (?:records|rows|leads|contacts|results|registros|linhas|contatos|resultados)$|\W*(?:end of (?:report|file)|fim do relatorio|fin del informe)\b)/;
const sum =
  /^(?:(?:grand |sub ?)?totals?|totale|totales|totaal|summe|gesamt|gesamtsumme|soma|suma|somme)(?: geral| general)?(?: (?:of |de )?(?:records|rows|leads|contacts|deals|registros|linhas|filas))?\s*(?:[:=(\d].*)?$/;
const sureSum = /^(?:grand|sub)|^\w+ (?:geral|general)\b|\(/;

type Kind = 'person' | 'footer' | 'sum' | 'alone';

const kindOf = ({ cells }: Cells, columnCount: number): Kind => {
  const place = cells.findIndex((cell) => cell.trim() !== '');
  const text = alikeText(cells[place] ?? '');
  const others = cells.slice(place + 1).filter((cell) => cell.trim() !== '');
  if (remark.test(text) && !others.some((cell) => cell.includes('@'))) return 'footer';
  if (sum.test(text) && others.every((cell) => /^[^@+]*\d[^@+]*$/.test(cell))) {
    return sureSum.test(text) ? 'footer' : 'sum';
  }
  if (others.length > 0) return 'person';
  const isContact = /@/.test(text) || /^[\d\s+().-]{7,}$/.test(text);
  return place === 0 && columnCount > 1 && !isContact ? 'alone' : 'person';
};

/**
 * Tells the footer of a report from the rows of people. Remarks and sums are a footer wherever they are. A “Total” alone may be a
 * company, and a first cell alone a name: these are a footer at the end, the cell below an empty line if it is more than a word.
 */
export async function* tellingFooters<T>(
  rows: AsyncIterable<Cells>,
  columnCount: number,
  asPerson: (row: Cells) => T,
  asFooter: (row: Cells) => T,
): AsyncGenerator<T> {
  let open: { row: Cells; kind: Kind }[] = [];
  for await (const row of rows) {
    const kind = kindOf(row, columnCount);
    const isLong = row.cells.some((cell) => /\s|\d/.test(cell.trim()));
    const isOpen =
      kind === 'sum' || (kind === 'alone' && (open.length > 0 || (row.isApart && isLong)));
    if (kind === 'footer' || (isOpen && open.length < mostRows)) {
      open.push({ row, kind });
      continue;
    }
    yield* open.map((one) => (one.kind === 'footer' ? asFooter(one.row) : asPerson(one.row)));
    open = [];
    yield asPerson(row);
  }
  yield* open.map(({ row }) => asFooter(row));
}

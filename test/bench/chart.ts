import { type EChartsOption, init } from 'echarts';
import type { Chart } from './section.ts';

const look: EChartsOption = {
  animation: false,
  backgroundColor: '#ffffff',
  color: ['#4269d0', '#efb118', '#ff725c', '#6cc5b0', '#a463f2', '#97bbf5', '#9c6b4e', '#9498a0'],
  textStyle: { fontFamily: 'Arial, Helvetica, sans-serif', fontSize: 13 },
  grid: { left: 16, right: 32, top: 56, bottom: 16, containLabel: true },
  // Text is wider than reckoned where the font is another one.
  legend: { top: 8, itemWidth: 14, itemHeight: 14, itemGap: 28 },
};

/** Draws a chart as SVG, on this machine and without a browser. */
export const draw = ({ option, height = 380 }: Chart): string => {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 860, height });
  chart.setOption(look);
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
};

#pragma once

namespace supple::reproduce {

/// The look of a report: one column, quiet colours, light or dark as the reader's system prefers.
/// Contains no characters that XML would take for markup.
inline constexpr const char* page_style = R"css(
:root { color-scheme: light dark; --paper: #fbfbf9; --ink: #22262b; --soft: #676f78; --line: #dcdfe0;
  --card: #ffffff; --link: #1f5f99; --good: #1d6b3f; --good-back: #e1f1e6; --bad: #9a3412;
  --bad-back: #fbe9de; --open: #5b6168; --open-back: #e9ebec; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16191c; --ink: #dfe3e6; --soft: #99a2aa; --line: #343a40; --card: #1d2125;
    --link: #82b7e8; --good: #8fd6aa; --good-back: #1d3a2a; --bad: #f2ae8c; --bad-back: #46281a;
    --open: #b3bac1; --open-back: #2f353a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 5rem; max-width: 76rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; font-weight: 650; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .6rem; font-weight: 650; }
header p, section p { max-width: 52rem; }
header { margin-bottom: 2.5rem; }
.kicker { color: var(--soft); font-family: ui-monospace, monospace; font-size: .85rem; margin: 0 0 .3rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; font-size: .92rem; }
dt { color: var(--soft); }
dd { margin: 0; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
section { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: 2rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; min-width: 60%; background: var(--card);
  font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th, td { border: 1px solid var(--line); padding: .4rem .65rem; text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
.subject, .number { white-space: nowrap; }
tbody th { font-weight: 500; max-width: 28rem; }
.summary tbody th { white-space: nowrap; }
th small { display: block; color: var(--soft); font-weight: 400; margin-top: .25rem; }
.chip { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .82rem;
  font-weight: 600; white-space: nowrap; }
.holds { color: var(--good); background: var(--good-back); }
.fails { color: var(--bad); background: var(--bad-back); }
.open { color: var(--open); background: var(--open-back); }
.figures { display: flex; flex-wrap: wrap; gap: 1.2rem; margin: 1.2rem 0; }
figure { margin: 0; flex: 1 1 30rem; min-width: 0; }
figure svg, figure img { display: block; width: 100%; height: auto; background: #fff;
  border: 1px solid var(--line); border-radius: 6px; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .35rem; }
.note { color: var(--soft); font-size: .92rem; border-left: 3px solid var(--line); padding-left: .8rem; }
.foot { color: var(--soft); font-size: .85rem; }
@media print { section { break-inside: avoid; } }
)css";

}  // namespace supple::reproduce

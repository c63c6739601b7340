// A key that is a number sorts as one; what has none stands last, whichever way.
function byKeyAt(column, way) {
  const key = (row) => row.cells[column].dataset.key;
  return (one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === "" || b === "") return (a === "") - (b === "");
    const numbers = [Number(a), Number(b)];
    return way * (numbers.some(Number.isNaN) ? a.localeCompare(b, "en", { numeric: true }) : numbers[0] - numbers[1]);
  };
}

function startSorting(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const name = head.textContent;
    const pressable = button("", { title: head.querySelector("abbr")?.title ?? `Sort by ${name}` }, () => {
      const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort(byKeyAt(column, way)));
    });
    pressable.append(...head.childNodes);
    head.append(pressable);
  });
}

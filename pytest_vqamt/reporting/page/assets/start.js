document.querySelectorAll("table.sortable").forEach(startSorting);
if (form) {
  startEnlarging();
  startFiltering();
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));

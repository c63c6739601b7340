document.querySelectorAll("table.sortable").forEach(startSorting);
if (form) {
  startEnlarging();
  startFiltering();
  document.querySelector(".unscripted").remove();
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));

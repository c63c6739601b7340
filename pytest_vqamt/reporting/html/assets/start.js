document.querySelectorAll("table.sortable").forEach(startSorting);
if (form) {
  startEnlarging();
  startFiltering();
  document.querySelector(".unscripted").remove();
}
addEventListener("beforeprint", () => {
  loadAll(document);
  for (const each of document.querySelectorAll("details")) {
    fill(each);
    each.open = true;
  }
});

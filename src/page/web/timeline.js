/* timeline - what each rank did when. */
function timelineOf() {
  return el("p", {}, "");
}

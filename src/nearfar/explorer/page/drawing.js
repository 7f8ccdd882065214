// The network in WebGL2. Every edge is a quad around its line, with round ends and soft borders. Ends and bands lie in
// textures, one texel per edge, so that a new source replaces four bytes per edge and nothing else. (Instances would do
// the same, but rendering in software takes each for a draw of its own: 350 ms of CPU for 16,000 edges instead of 60.)
// Paths, flows and dots are such quads, too.

const WIDE = 4096; // texels of a row
const VERTEX = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform highp sampler2D ends;
uniform usampler2D bandsOf;
uniform int wide;
uniform vec2 centre, size;
uniform float scale, width, swell;
out vec2 at;
out float band;
flat out float reach, thick, known;
void main() {
  int edge = gl_VertexID / 6, turn = gl_VertexID % 6, corner = turn < 3 ? turn : turn == 5 ? 3 : 5 - turn;
  ivec2 place = ivec2(edge % wide, edge / wide);
  vec4 line = texelFetch(ends, place, 0);
  vec2 bands = vec2(texelFetch(bandsOf, place, 0).xy);
  vec2 first = (line.xy - centre) * scale, last = (line.zw - centre) * scale, along = last - first;
  reach = length(along);
  vec2 forward = reach > 0.0 ? along / reach : vec2(1, 0), side = vec2(-forward.y, forward.x);
  known = max(bands.x, bands.y) < 65535.0 ? 1.0 : 0.0;
  thick = (width + swell * (bands.x + bands.y) / 131068.0 * known) / 2.0;
  float share = float(corner & 1), across = float(corner >> 1) * 2.0 - 1.0, room = thick + 1.0;
  at = vec2(mix(-room, reach + room, share), across * room);
  band = mix(bands.x, bands.y, reach > 0.0 ? clamp(at.x / reach, 0.0, 1.0) : 0.0);
  vec2 point = first + forward * at.x + side * at.y;
  gl_Position = vec4(point * 2.0 / size, 0, 1);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
in float band;
flat in float reach, thick, known;
uniform sampler2D ramp;
uniform vec4 plain;
uniform vec3 none;
uniform float limit, steps;
out vec4 colour;
void main() {
  float gap = length(vec2(at.x - clamp(at.x, 0.0, reach), at.y));
  float ink = clamp(thick + 0.5 - gap, 0.0, 1.0) * min(1.0, thick * 2.0);
  if (ink <= 0.0) discard;
  if (plain.a > 0.0) { colour = vec4(plain.rgb * ink, ink); return; }
  float share = band / 65534.0;
  if (known < 0.5 || share > limit) { colour = vec4(none * ink, ink); return; }
  share = min(share / limit, 1.0);
  if (steps > 0.0) share = (min(floor(share * steps), steps - 1.0) + 0.5) / steps;
  colour = vec4(texture(ramp, vec2((share * 255.0 + 0.5) / 256.0, 0.5)).rgb * ink, ink);
}`;

const UNIFORMS = ["ends", "bandsOf", "wide", "centre", "size", "scale", "width", "swell", "ramp", "plain", "none", "limit", "steps"];

export class Drawing {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("no WebGL2");
    this.gl = gl;
    this.program = linked(gl);
    this.at = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.ramp = texture(gl, gl.LINEAR);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const layer = () => ({ ends: texture(gl, gl.NEAREST), bands: texture(gl, gl.NEAREST), count: 0, wide: 1, high: 0 });
    this.layers = { edges: layer(), dots: layer(), hover: layer(), path: layer() };
  }

  // Set where the edges of a layer are; they have no values until `colour` is called.
  place(name, ends) {
    const { gl } = this;
    const layer = this.layers[name];
    layer.count = ends.length / 4;
    layer.wide = Math.min(Math.max(layer.count, 1), WIDE);
    layer.high = Math.ceil(layer.count / layer.wide);
    for (const [kind, ...format] of [["ends", gl.RGBA32F, gl.RGBA, gl.FLOAT], ["bands", gl.RG16UI, gl.RG_INTEGER, gl.UNSIGNED_SHORT]]) {
      const [inside, outside, type] = format;
      gl.bindTexture(gl.TEXTURE_2D, layer[kind]);
      gl.texImage2D(gl.TEXTURE_2D, 0, inside, layer.wide, Math.max(layer.high, 1), 0, outside, type, null);
    }
    this.fill(layer, "ends", ends);
    this.colour(name, new Uint16Array(2 * layer.count).fill(65535));
  }

  colour(name, bands) {
    this.fill(this.layers[name], "bands", bands);
  }

  // Fill a texture: whole rows at once, then what the last row holds.
  fill(layer, kind, values) {
    const { gl } = this;
    const { wide, count } = layer;
    const [size, format] = kind === "ends" ? [4, [gl.RGBA, gl.FLOAT]] : [2, [gl.RG_INTEGER, gl.UNSIGNED_SHORT]];
    const whole = Math.floor(count / wide);
    gl.bindTexture(gl.TEXTURE_2D, layer[kind]);
    if (whole) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, wide, whole, ...format, values);
    if (count % wide) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, whole, count % wide, 1, ...format, values, size * whole * wide);
  }

  setTheme(theme) {
    const { gl } = this;
    this.theme = theme;
    const texels = new Uint8Array(theme.ramp.flatMap((colour) => [...colour, 255]));
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  }

  // Draw everything: `view` has centre, scale, ratio and size; `look` has limit, steps, width, swell and dot.
  draw(view, look) {
    const { gl, theme, at } = this;
    const ratio = view.ratio;
    const part = (colour) => colour.map((value) => value / 255);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(...part(theme.edge), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.uniform2f(at.centre, view.x, view.y);
    gl.uniform2f(at.size, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform1f(at.scale, view.scale * ratio);
    for (const [unit, name] of ["ends", "bandsOf", "ramp"].entries()) gl.uniform1i(at[name], unit);
    gl.uniform3f(at.none, ...part(theme.none));
    gl.uniform1f(at.limit, look.limit);
    gl.uniform1f(at.steps, look.steps);
    this.strokes("edges", look.width * ratio, look.swell * ratio);
    this.strokes("dots", look.dot * ratio, 0);
    this.strokes("path", 8 * ratio, 0, part(theme.edge));
    this.strokes("path", 4 * ratio, 0, part(theme.path));
    this.strokes("hover", 6 * ratio, 0, part(theme.edge));
    this.strokes("hover", 2.5 * ratio, 0, part(theme.path));
  }

  // A browser keeps only so many contexts.
  end() {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  strokes(name, width, swell, plain = null) {
    const { gl, at } = this;
    const layer = this.layers[name];
    if (!layer.count) return;
    gl.uniform1f(at.width, width);
    gl.uniform1f(at.swell, swell);
    gl.uniform4f(at.plain, ...(plain || [0, 0, 0]), plain ? 1 : 0);
    gl.uniform1i(at.wide, layer.wide);
    for (const [unit, bound] of [layer.ends, layer.bands, this.ramp].entries()) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, bound);
    }
    gl.drawArrays(gl.TRIANGLES, 0, 6 * layer.count);
  }
}

function texture(gl, filter) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, filter);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  return made;
}

function linked(gl) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
  return program;
}

// The network in WebGL2. Every edge is a quad around its line, with round ends and soft borders; one instance per edge,
// so that a new source replaces four bytes per edge and nothing else. Paths, flows and dots are such quads, too.

const VERTEX = `#version 300 es
layout(location=0) in vec4 ends;
layout(location=1) in vec2 bands;
uniform vec2 centre, size;
uniform float scale, width, swell;
out vec2 at;
out float band;
flat out float reach, thick, known;
void main() {
  vec2 first = (ends.xy - centre) * scale, last = (ends.zw - centre) * scale, along = last - first;
  reach = length(along);
  vec2 forward = reach > 0.0 ? along / reach : vec2(1, 0), side = vec2(-forward.y, forward.x);
  known = max(bands.x, bands.y) < 65535.0 ? 1.0 : 0.0;
  thick = (width + swell * (bands.x + bands.y) / 131068.0 * known) / 2.0;
  float share = float(gl_VertexID & 1), across = float(gl_VertexID >> 1) * 2.0 - 1.0, room = thick + 1.0;
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

const UNIFORMS = ["centre", "size", "scale", "width", "swell", "ramp", "plain", "none", "limit", "steps"];

export class Drawing {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("no WebGL2");
    this.gl = gl;
    this.program = linked(gl);
    this.at = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.ramp = gl.createTexture();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.layers = { edges: this.layer(), dots: this.layer(), hover: this.layer(), path: this.layer() };
  }

  layer() {
    const { gl } = this;
    const layer = { array: gl.createVertexArray(), ends: gl.createBuffer(), bands: gl.createBuffer(), count: 0, room: 0 };
    gl.bindVertexArray(layer.array);
    for (const [place, buffer, count, kind] of [[0, layer.ends, 4, gl.FLOAT], [1, layer.bands, 2, gl.UNSIGNED_SHORT]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, count, kind, false, 0, 0);
      gl.vertexAttribDivisor(place, 1);
    }
    return layer;
  }

  // Set where the edges of a layer are; they have no values until `colour` is called.
  place(name, ends) {
    const { gl } = this;
    const layer = this.layers[name];
    layer.count = ends.length / 4;
    gl.bindBuffer(gl.ARRAY_BUFFER, layer.ends);
    gl.bufferData(gl.ARRAY_BUFFER, ends, gl.DYNAMIC_DRAW);
    this.colour(name, new Uint16Array(2 * layer.count).fill(65535));
  }

  colour(name, bands) {
    const { gl } = this;
    const layer = this.layers[name];
    gl.bindBuffer(gl.ARRAY_BUFFER, layer.bands);
    if (bands.byteLength === layer.room) {
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, bands);
    } else {
      gl.bufferData(gl.ARRAY_BUFFER, bands, gl.DYNAMIC_DRAW);
      layer.room = bands.byteLength;
    }
  }

  setTheme(theme) {
    const { gl } = this;
    this.theme = theme;
    const texels = new Uint8Array(theme.ramp.flatMap((colour) => [...colour, 255]));
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
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
    gl.bindVertexArray(layer.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, layer.count);
  }
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

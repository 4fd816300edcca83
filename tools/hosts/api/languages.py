"""What languages are given of engine.h: declarations for Rust, Java and Go, made of engine.json."""

import re

MADE = "Made of engine/engine.h by tools/hosts/api/describe.py; do not edit."


def files(api, hosts):
    """Returns the text of each file, by its path."""
    return {hosts / "rust/src/sys.rs": rust(api), hosts / "java/src/main/java/libengine/Api.java": java(api),
            hosts / "go/api/api.go": go(api)}


def pointers(kind):
    """Returns the base of a type, whether what it points to is const, and how many pointers lead there."""
    return re.sub(r"\bconst\b|\*", "", kind).strip(), kind.startswith("const "), kind.count("*")


def checks_of(struct):
    """Yields (member, offset) of a struct."""
    return ((member["name"], member["offset"]) for member in struct["members"])


# ---- Rust ----

RUST = {"void": "c_void", "char": "c_char", "int": "c_int", "unsigned": "c_uint", "size_t": "usize", "int32_t": "i32",
        "uint8_t": "u8", "uint32_t": "u32", "uint64_t": "u64", "float": "f32", "double": "f64"}


def rust_name(name):
    return "r#type" if name == "type" else name


def rust_type(kind, count=1):
    base, is_const, depth = pointers(kind)
    text = RUST.get(base, base)
    for level in range(depth):
        text = f"*{'const' if is_const and level == 0 else 'mut'} {text}"
    return f"[{text}; {count}]" if count > 1 else text


def rust_result(kind):
    return "" if kind == "void" else f" -> {rust_type(kind)}"


def rust(api):
    out = [f"//! The functions of libengine, as they are in C. {MADE}",
           "#![allow(non_camel_case_types, rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]",
           "use std::ffi::{c_char, c_int, c_uint, c_void};", "use std::mem::{offset_of, size_of};", ""]

    def said(item, indent=""):
        if item.get("comment"):
            out.append(f"{indent}/// {item['comment']}")

    def given(item):
        return ", ".join(f"{rust_name(a['name'])}: {rust_type(a['type'])}" for a in item["arguments"])

    for constant in api["constants"]:
        said(constant)
        value, name = constant["value"], constant["name"]
        kind, text = (("&str", f'"{value}"') if isinstance(value, str) else ("f64", repr(value)) if isinstance(value, float)
                      else ("usize", f"usize::MAX - {-1 - value}" if value < -1 else "usize::MAX" if value < 0 else value))
        out.append(f"pub const {name}: {kind} = {text};")
    for enum in api["enums"]:
        out.append("")
        said(enum)
        out.append(f"pub type {enum['name']} = c_int;")
        for value in enum["values"]:
            said(value)
            out.append(f"pub const {value['name']}: {enum['name']} = {value['value']};")
    for name in api["opaque"]:
        out += ["", "#[repr(C)]", f"pub struct {name} {{", "    _private: [u8; 0],", "}"]
    for callback in api["callbacks"]:
        out.append("")
        said(callback)
        out.append(f"pub type {callback['name']} = Option<unsafe extern \"C\" fn({given(callback)})"
                   f"{rust_result(callback['result'])}>;")
    for struct in api["structs"]:
        out.append("")
        said(struct)
        out += ["#[repr(C)]", "#[derive(Debug, Clone, Copy)]", f"pub struct {struct['name']} {{"]
        for member in struct["members"]:
            said(member, "    ")
            out.append(f"    pub {rust_name(member['name'])}: {rust_type(member['type'], member['count'])},")
        out += ["}", "const _: () = {", f"    assert!(size_of::<{struct['name']}>() == {struct['bytes']});"]
        out += [f"    assert!(offset_of!({struct['name']}, {rust_name(name)}) == {offset});"
                for name, offset in checks_of(struct)]
        out.append("};")
    out += ["", 'unsafe extern "C" {']
    for function in api["functions"]:
        said(function, "    ")
        out.append(f"    pub fn {function['name']}({given(function)}){rust_result(function['result'])};")
    return "\n".join([*out, "}", ""])


# ---- Java, by JNA: structs are offsets in memory ----

JAVA = {"void": "void", "size_t": "long", "uint64_t": "long", "float": "float", "double": "double"}


def java_type(kind):
    base, _, depth = pointers(kind)
    return "Pointer" if depth or base.endswith("_callback") else JAVA.get(base, "int")


def java(api):
    structs = {struct["name"] for struct in api["structs"]}
    out = ["package libengine;", "", "import com.sun.jna.Native;", "import com.sun.jna.NativeLibrary;",
           "import com.sun.jna.Pointer;", "",
           f"/** The functions of libengine as they are in C, except those of structs by value. {MADE} */",
           "public final class Api {", "    private Api() {}"]

    def said(item, indent="    "):
        text = item.get("comment", "").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
        if text:
            out.append(f"{indent}/** {text} */")

    for enum in api["enums"]:
        out.append("")
        for value in enum["values"]:
            said(value)
            out.append(f"    public static final int {value['name']} = {value['value']};")
    out.append("")
    for constant in api["constants"]:
        value = constant["value"]
        kind, text = (("String", f'"{value}"') if isinstance(value, str) else
                      ("double", repr(value)) if isinstance(value, float) else ("long", value))
        said(constant)
        out.append(f"    public static final {kind} {constant['name']} = {text};")
    for struct in api["structs"]:
        out.append("")
        said(struct)
        out += [f"    public static final class {struct['name']} {{", f"        private {struct['name']}() {{}}", "",
                f"        public static final int BYTES = {struct['bytes']};"]
        for member in struct["members"]:
            said(member, "        ")
            out.append(f"        public static final int {member['name']} = {member['offset']};")
        out.append("    }")
    for function in api["functions"]:
        types = [function["result"], *(argument["type"] for argument in function["arguments"])]
        if structs & set(types):
            continue
        out.append("")
        said(function)
        given = ", ".join(f"{java_type(a['type'])} {a['name']}" for a in function["arguments"])
        out.append(f"    public static native {java_type(function['result'])} {function['name']}({given});")
    out += ["", "    static {", "        Native.register(Api.class, NativeLibrary.getInstance(Encoder.library()));", "    }", "}", ""]
    return "\n".join(out)


# ---- Go, by purego ----

GO = {"char": "byte", "int": "int32", "unsigned": "uint32", "size_t": "uintptr", "int32_t": "int32", "uint8_t": "uint8",
      "uint32_t": "uint32", "uint64_t": "uint64", "float": "float32", "double": "float64"}


def go_name(name):
    return "".join(part[0].upper() + part[1:] for part in name.removeprefix("engine_").split("_"))


def go_type(kind, opaque, count=1):
    base, _, depth = pointers(kind)
    if base in opaque or base == "void":
        text, depth = "unsafe.Pointer", depth - 1
    elif base.endswith("_callback"):
        text = "uintptr"
    else:
        text = GO.get(base) or go_name(base)
    return (f"[{count}]" if count > 1 else "") + "*" * depth + text


def go(api):
    structs, opaque = {struct["name"] for struct in api["structs"]}, api["opaque"]
    out = [f"// Package api has the functions of libengine as they are in C, except those of structs by value. {MADE}",
           "//", "// Code generated by describe.py; DO NOT EDIT.", "package api", "",
           'import (', '\t"unsafe"', "", '\t"github.com/ebitengine/purego"', ")"]

    def said(item, indent=""):
        if item.get("comment"):
            out.append(f"{indent}// {item['comment']}")

    out += ["", "const ("]
    for constant in api["constants"]:
        said(constant, "\t")
        value = constant["value"]
        text = f'"{value}"' if isinstance(value, str) else f"^uintptr({-1 - value})" if value in (-1, -2) else repr(value)
        out += [f"\t{constant['name']} = {text}", ""]  # gofmt aligns what no blank line divides
    out[-1] = ")"
    for enum in api["enums"]:
        out.append("")
        said(enum)
        out += [f"type {go_name(enum['name'])} int32", "", "const ("]
        for value in enum["values"]:
            said(value, "\t")
            out += [f"\t{value['name']} {go_name(enum['name'])} = {value['value']}", ""]
        out[-1] = ")"
    for struct in api["structs"]:
        name = go_name(struct["name"])
        out.append("")
        said(struct)
        out.append(f"type {name} struct {{")
        for member in struct["members"]:
            said(member, "\t")
            out += [f"\t{go_name(member['name'])} {go_type(member['type'], opaque, member['count'])}", ""]
        out[-1:] = ["}", "", f"var _ = [1]struct{{}}{{}}[unsafe.Sizeof({name}{{}})-{struct['bytes']}]"]
        out += [f"var _ = [1]struct{{}}{{}}[unsafe.Offsetof({name}{{}}.{go_name(member)})-{offset}]"
                for member, offset in checks_of(struct)]
    names = []
    for function in api["functions"]:
        types = [function["result"], *(argument["type"] for argument in function["arguments"])]
        if structs & set(types):
            continue
        out.append("")
        said(function)
        given = ", ".join(f"{'kind' if a['name'] == 'type' else a['name']} {go_type(a['type'], opaque)}"
                          for a in function["arguments"])
        result = {"void": "", "const char *": " string"}.get(types[0]) or ("" if types[0] == "void" else f" {go_type(types[0], opaque)}")
        out.append(f"var {go_name(function['name'])} func({given}){result}")
        names.append(function["name"])
    out += ["", "// Load loads the library and finds its functions.", "func Load(path string) error {",
            "\tlibrary, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)", "\tif err != nil {", "\t\treturn err", "\t}"]
    out += [f'\tpurego.RegisterLibFunc(&{go_name(name)}, library, "{name}")' for name in names]
    return "\n".join([*out, "\treturn nil", "}", ""])

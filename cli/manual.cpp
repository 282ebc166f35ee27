// `manual`: man pages and shell completions. Names, options and their help come from the parser of the command line
// itself; what only a manual says stands in manual_pages.cpp. A verb without a page there is an error, so a page can
// neither lack nor outlive a verb or an option.
#include "manual.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <amdcompat/gpu.hpp>

#include "common.hpp"
#include "completions.hpp"
#include "man_page.hpp"
#include "manual_pages.hpp"
#include "manual_text.hpp"

namespace amdcompat::cli {

namespace {

// Names of GPUs without blanks: targets, devices, and boards as "RX-6800".
std::vector<std::string> gpu_names() {
  std::vector<std::string> out;
  for (const Target& target : all_targets())
    if (target.generation) out.emplace_back(target.name);
  for (const Device& device : all_devices())
    if (find_gpu(device.name)) out.emplace_back(device.name);
  for (const Board& board : all_boards()) {
    std::string name(board.name);
    if (name.starts_with("Radeon ") && name.find_first_of("0123456789") != std::string::npos) name.erase(0, 7);
    std::ranges::replace(name, ' ', '-');
    const auto found = find_gpu(name);
    if (found && found->target->name == board.target) out.push_back(std::move(name));
  }
  return out;
}

std::vector<OptionText> options_of(const CLI::App& app) {
  std::vector<OptionText> out;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) continue;
    OptionText text;
    for (const std::string& name : option->get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) text.names.push_back("--" + name);
    text.help = option->get_description();
    text.initial = option->get_default_str();
    if (option->get_type_size() != 0) {
      std::string type = option->get_type_name();  // NAME, or TEXT:{first,second}
      if (const std::size_t open = type.find('{'); open != std::string::npos && type.ends_with('}')) {
        std::string choice;
        for (const char c : std::string_view(type).substr(open + 1)) {
          if (c != ',' && c != '}') {
            choice += c;
            continue;
          }
          text.choices.push_back(std::move(choice));
          choice.clear();
        }
        type = "WORD";
      } else if (const std::size_t colon = type.find(':'); colon != std::string::npos) {
        type.resize(colon);
      }
      if (type == "TEXT") type = "VALUE";
      if (type == "UINT" || type == "INT") type = "N";
      text.directory = type == "DIR";
      if (type == "GPU" || type == "[DEVICE=]GPU") text.offers = gpu_names();
      text.value = std::move(type);
    }
    out.push_back(std::move(text));
  }
  return out;
}

VerbText verb_text(const CLI::App& app, std::string name) {
  VerbText out;
  out.name = std::move(name);
  out.description = app.get_description();
  out.footer = app.get_footer();
  out.options = options_of(app);
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      out.positionals.push_back({option->get_name(true), option->get_items_expected_max() > 1});
  return out;
}

}  // namespace

int run_manual(const CLI::App& root, const std::string& directory) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  std::vector<VerbText> verbs;
  for (const CLI::App* verb : root.get_subcommands({})) verbs.push_back(verb_text(*verb, verb->get_name()));
  const auto put_page = [&](const VerbText& about) {
    const Page* const page = find_page(about.name);
    if (page == nullptr) {
      fmt::print(stderr, "amdcompat: the manual has no page about '{}'\n", about.name);
      return false;
    }
    const std::string file = about.name.empty() ? "amdcompat" : "amdcompat-" + about.name;
    files[fmt::format("man1/{}.1", file)] = man_page(about, *page, verbs);
    return true;
  };
  if (!put_page(verb_text(root, "")) || !std::ranges::all_of(verbs, put_page)) return kInputErrors;
  files["bash/amdcompat"] = bash_completion(verbs);
  files["zsh/_amdcompat"] = zsh_completion(verbs);
  files["fish/amdcompat.fish"] = fish_completion(verbs);
  for (const auto& [name, text] : files) {
    const fs::path path = fs::path(directory) / name;
    if (!make_directory(path.parent_path().string()) || !write_output(path.string(), text)) return kInputOutput;
  }
  return kDone;
}

}  // namespace amdcompat::cli

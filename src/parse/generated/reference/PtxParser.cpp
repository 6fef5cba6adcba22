
// Generated from PtxParser.g4 by ANTLR 4.7.2



#include "PtxParser.h"


using namespace antlrcpp;
using namespace ptxopt::parse::reference;
using namespace antlr4;

PtxParser::PtxParser(TokenStream *input) : Parser(input) {
  _interpreter = new atn::ParserATNSimulator(this, _atn, _decisionToDFA, _sharedContextCache);
}

PtxParser::~PtxParser() {
  delete _interpreter;
}

std::string PtxParser::getGrammarFileName() const {
  return "PtxParser.g4";
}

const std::vector<std::string>& PtxParser::getRuleNames() const {
  return _ruleNames;
}

dfa::Vocabulary& PtxParser::getVocabulary() const {
  return _vocabulary;
}


//----------------- PtxModuleContext ------------------------------------------------------------------

PtxParser::PtxModuleContext::PtxModuleContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::PtxModuleContext::EOF() {
  return getToken(PtxParser::EOF, 0);
}

std::vector<PtxParser::BetweenContext *> PtxParser::PtxModuleContext::between() {
  return getRuleContexts<PtxParser::BetweenContext>();
}

PtxParser::BetweenContext* PtxParser::PtxModuleContext::between(size_t i) {
  return getRuleContext<PtxParser::BetweenContext>(i);
}

std::vector<PtxParser::ModuleItemContext *> PtxParser::PtxModuleContext::moduleItem() {
  return getRuleContexts<PtxParser::ModuleItemContext>();
}

PtxParser::ModuleItemContext* PtxParser::PtxModuleContext::moduleItem(size_t i) {
  return getRuleContext<PtxParser::ModuleItemContext>(i);
}


size_t PtxParser::PtxModuleContext::getRuleIndex() const {
  return PtxParser::RulePtxModule;
}


PtxParser::PtxModuleContext* PtxParser::ptxModule() {
  PtxModuleContext *_localctx = _tracker.createInstance<PtxModuleContext>(_ctx, getState());
  enterRule(_localctx, 0, PtxParser::RulePtxModule);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(85);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
      | (1ULL << PtxParser::PRAGMA)
      | (1ULL << PtxParser::DWARF))) != 0)) {
      setState(82);
      between();
      setState(87);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(91);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::VERSION)
      | (1ULL << PtxParser::TARGET)
      | (1ULL << PtxParser::ADDRESS_SIZE)
      | (1ULL << PtxParser::LINKAGE)
      | (1ULL << PtxParser::ENTRY)
      | (1ULL << PtxParser::FUNC)
      | (1ULL << PtxParser::ALIAS)
      | (1ULL << PtxParser::FILE)
      | (1ULL << PtxParser::LOC)
      | (1ULL << PtxParser::LOC_INTERMEDIATE)
      | (1ULL << PtxParser::SECTION)
      | (1ULL << PtxParser::SOURCE_SECTION)
      | (1ULL << PtxParser::SPACE))) != 0)) {
      setState(88);
      moduleItem();
      setState(93);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(94);
    match(PtxParser::EOF);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ModuleItemContext ------------------------------------------------------------------

PtxParser::ModuleItemContext::ModuleItemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::ModuleItemContext::VERSION() {
  return getToken(PtxParser::VERSION, 0);
}

tree::TerminalNode* PtxParser::ModuleItemContext::FLOAT() {
  return getToken(PtxParser::FLOAT, 0);
}

std::vector<PtxParser::BetweenContext *> PtxParser::ModuleItemContext::between() {
  return getRuleContexts<PtxParser::BetweenContext>();
}

PtxParser::BetweenContext* PtxParser::ModuleItemContext::between(size_t i) {
  return getRuleContext<PtxParser::BetweenContext>(i);
}

tree::TerminalNode* PtxParser::ModuleItemContext::TARGET() {
  return getToken(PtxParser::TARGET, 0);
}

std::vector<PtxParser::NameContext *> PtxParser::ModuleItemContext::name() {
  return getRuleContexts<PtxParser::NameContext>();
}

PtxParser::NameContext* PtxParser::ModuleItemContext::name(size_t i) {
  return getRuleContext<PtxParser::NameContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::ModuleItemContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::ModuleItemContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}

tree::TerminalNode* PtxParser::ModuleItemContext::ADDRESS_SIZE() {
  return getToken(PtxParser::ADDRESS_SIZE, 0);
}

tree::TerminalNode* PtxParser::ModuleItemContext::INT() {
  return getToken(PtxParser::INT, 0);
}

PtxParser::VariableContext* PtxParser::ModuleItemContext::variable() {
  return getRuleContext<PtxParser::VariableContext>(0);
}

PtxParser::EntryContext* PtxParser::ModuleItemContext::entry() {
  return getRuleContext<PtxParser::EntryContext>(0);
}

PtxParser::FunctionContext* PtxParser::ModuleItemContext::function() {
  return getRuleContext<PtxParser::FunctionContext>(0);
}

std::vector<tree::TerminalNode *> PtxParser::ModuleItemContext::LINKAGE() {
  return getTokens(PtxParser::LINKAGE);
}

tree::TerminalNode* PtxParser::ModuleItemContext::LINKAGE(size_t i) {
  return getToken(PtxParser::LINKAGE, i);
}

tree::TerminalNode* PtxParser::ModuleItemContext::ALIAS() {
  return getToken(PtxParser::ALIAS, 0);
}

tree::TerminalNode* PtxParser::ModuleItemContext::SEMI() {
  return getToken(PtxParser::SEMI, 0);
}

PtxParser::FileDirectiveContext* PtxParser::ModuleItemContext::fileDirective() {
  return getRuleContext<PtxParser::FileDirectiveContext>(0);
}

PtxParser::LocDirectiveContext* PtxParser::ModuleItemContext::locDirective() {
  return getRuleContext<PtxParser::LocDirectiveContext>(0);
}

PtxParser::SectionContext* PtxParser::ModuleItemContext::section() {
  return getRuleContext<PtxParser::SectionContext>(0);
}

PtxParser::SourceSectionContext* PtxParser::ModuleItemContext::sourceSection() {
  return getRuleContext<PtxParser::SourceSectionContext>(0);
}


size_t PtxParser::ModuleItemContext::getRuleIndex() const {
  return PtxParser::RuleModuleItem;
}


PtxParser::ModuleItemContext* PtxParser::moduleItem() {
  ModuleItemContext *_localctx = _tracker.createInstance<ModuleItemContext>(_ctx, getState());
  enterRule(_localctx, 2, PtxParser::RuleModuleItem);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(189);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::VERSION: {
        enterOuterAlt(_localctx, 1);
        setState(96);
        match(PtxParser::VERSION);
        setState(97);
        match(PtxParser::FLOAT);
        setState(101);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::DWARF))) != 0)) {
          setState(98);
          between();
          setState(103);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::TARGET: {
        enterOuterAlt(_localctx, 2);
        setState(104);
        match(PtxParser::TARGET);
        setState(105);
        name();
        setState(110);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while (_la == PtxParser::COMMA) {
          setState(106);
          match(PtxParser::COMMA);
          setState(107);
          name();
          setState(112);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        setState(116);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::DWARF))) != 0)) {
          setState(113);
          between();
          setState(118);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::ADDRESS_SIZE: {
        enterOuterAlt(_localctx, 3);
        setState(119);
        match(PtxParser::ADDRESS_SIZE);
        setState(120);
        match(PtxParser::INT);
        setState(124);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::DWARF))) != 0)) {
          setState(121);
          between();
          setState(126);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::LINKAGE:
      case PtxParser::ENTRY:
      case PtxParser::FUNC:
      case PtxParser::SPACE: {
        enterOuterAlt(_localctx, 4);
        setState(130);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while (_la == PtxParser::LINKAGE) {
          setState(127);
          match(PtxParser::LINKAGE);
          setState(132);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        setState(148);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case PtxParser::SPACE: {
            setState(133);
            variable();
            setState(137);
            _errHandler->sync(this);
            _la = _input->LA(1);
            while ((((_la & ~ 0x3fULL) == 0) &&
              ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
              | (1ULL << PtxParser::PRAGMA)
              | (1ULL << PtxParser::DWARF))) != 0)) {
              setState(134);
              between();
              setState(139);
              _errHandler->sync(this);
              _la = _input->LA(1);
            }
            break;
          }

          case PtxParser::ENTRY: {
            setState(140);
            entry();
            setState(144);
            _errHandler->sync(this);
            _la = _input->LA(1);
            while ((((_la & ~ 0x3fULL) == 0) &&
              ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
              | (1ULL << PtxParser::PRAGMA)
              | (1ULL << PtxParser::DWARF))) != 0)) {
              setState(141);
              between();
              setState(146);
              _errHandler->sync(this);
              _la = _input->LA(1);
            }
            break;
          }

          case PtxParser::FUNC: {
            setState(147);
            function();
            break;
          }

        default:
          throw NoViableAltException(this);
        }
        break;
      }

      case PtxParser::ALIAS: {
        enterOuterAlt(_localctx, 5);
        setState(150);
        match(PtxParser::ALIAS);
        setState(151);
        name();
        setState(152);
        match(PtxParser::COMMA);
        setState(153);
        name();
        setState(154);
        match(PtxParser::SEMI);
        setState(158);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::DWARF))) != 0)) {
          setState(155);
          between();
          setState(160);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::FILE: {
        enterOuterAlt(_localctx, 6);
        setState(161);
        fileDirective();
        setState(165);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::DWARF))) != 0)) {
          setState(162);
          between();
          setState(167);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::LOC:
      case PtxParser::LOC_INTERMEDIATE: {
        enterOuterAlt(_localctx, 7);
        setState(168);
        locDirective();
        setState(172);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::DWARF))) != 0)) {
          setState(169);
          between();
          setState(174);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::SECTION: {
        enterOuterAlt(_localctx, 8);
        setState(175);
        section();
        setState(179);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::DWARF))) != 0)) {
          setState(176);
          between();
          setState(181);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::SOURCE_SECTION: {
        enterOuterAlt(_localctx, 9);
        setState(182);
        sourceSection();
        setState(186);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::DWARF))) != 0)) {
          setState(183);
          between();
          setState(188);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BetweenContext ------------------------------------------------------------------

PtxParser::BetweenContext::BetweenContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

PtxParser::PragmaContext* PtxParser::BetweenContext::pragma() {
  return getRuleContext<PtxParser::PragmaContext>(0);
}

PtxParser::UnknownDirectiveContext* PtxParser::BetweenContext::unknownDirective() {
  return getRuleContext<PtxParser::UnknownDirectiveContext>(0);
}


size_t PtxParser::BetweenContext::getRuleIndex() const {
  return PtxParser::RuleBetween;
}


PtxParser::BetweenContext* PtxParser::between() {
  BetweenContext *_localctx = _tracker.createInstance<BetweenContext>(_ctx, getState());
  enterRule(_localctx, 4, PtxParser::RuleBetween);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(193);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::PRAGMA: {
        enterOuterAlt(_localctx, 1);
        setState(191);
        pragma();
        break;
      }

      case PtxParser::OPAQUE:
      case PtxParser::DWARF: {
        enterOuterAlt(_localctx, 2);
        setState(192);
        unknownDirective();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- EntryContext ------------------------------------------------------------------

PtxParser::EntryContext::EntryContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::EntryContext::ENTRY() {
  return getToken(PtxParser::ENTRY, 0);
}

PtxParser::NameContext* PtxParser::EntryContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

PtxParser::BlockContext* PtxParser::EntryContext::block() {
  return getRuleContext<PtxParser::BlockContext>(0);
}

tree::TerminalNode* PtxParser::EntryContext::SEMI() {
  return getToken(PtxParser::SEMI, 0);
}

PtxParser::ParamsContext* PtxParser::EntryContext::params() {
  return getRuleContext<PtxParser::ParamsContext>(0);
}

std::vector<PtxParser::FunctionAttributeContext *> PtxParser::EntryContext::functionAttribute() {
  return getRuleContexts<PtxParser::FunctionAttributeContext>();
}

PtxParser::FunctionAttributeContext* PtxParser::EntryContext::functionAttribute(size_t i) {
  return getRuleContext<PtxParser::FunctionAttributeContext>(i);
}


size_t PtxParser::EntryContext::getRuleIndex() const {
  return PtxParser::RuleEntry;
}


PtxParser::EntryContext* PtxParser::entry() {
  EntryContext *_localctx = _tracker.createInstance<EntryContext>(_ctx, getState());
  enterRule(_localctx, 6, PtxParser::RuleEntry);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(195);
    match(PtxParser::ENTRY);
    setState(196);
    name();
    setState(198);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::LPAREN) {
      setState(197);
      params();
    }
    setState(203);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
      | (1ULL << PtxParser::PRAGMA)
      | (1ULL << PtxParser::ATTRIBUTE)
      | (1ULL << PtxParser::DOTWORD))) != 0)) {
      setState(200);
      functionAttribute();
      setState(205);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(208);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::LBRACE: {
        setState(206);
        block();
        break;
      }

      case PtxParser::SEMI: {
        setState(207);
        match(PtxParser::SEMI);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- FunctionContext ------------------------------------------------------------------

PtxParser::FunctionContext::FunctionContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::FunctionContext::FUNC() {
  return getToken(PtxParser::FUNC, 0);
}

PtxParser::NameContext* PtxParser::FunctionContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

std::vector<PtxParser::AttributeContext *> PtxParser::FunctionContext::attribute() {
  return getRuleContexts<PtxParser::AttributeContext>();
}

PtxParser::AttributeContext* PtxParser::FunctionContext::attribute(size_t i) {
  return getRuleContext<PtxParser::AttributeContext>(i);
}

std::vector<PtxParser::ParamsContext *> PtxParser::FunctionContext::params() {
  return getRuleContexts<PtxParser::ParamsContext>();
}

PtxParser::ParamsContext* PtxParser::FunctionContext::params(size_t i) {
  return getRuleContext<PtxParser::ParamsContext>(i);
}

std::vector<PtxParser::FunctionAttributeContext *> PtxParser::FunctionContext::functionAttribute() {
  return getRuleContexts<PtxParser::FunctionAttributeContext>();
}

PtxParser::FunctionAttributeContext* PtxParser::FunctionContext::functionAttribute(size_t i) {
  return getRuleContext<PtxParser::FunctionAttributeContext>(i);
}

PtxParser::BlockContext* PtxParser::FunctionContext::block() {
  return getRuleContext<PtxParser::BlockContext>(0);
}

tree::TerminalNode* PtxParser::FunctionContext::SEMI() {
  return getToken(PtxParser::SEMI, 0);
}

std::vector<PtxParser::BetweenContext *> PtxParser::FunctionContext::between() {
  return getRuleContexts<PtxParser::BetweenContext>();
}

PtxParser::BetweenContext* PtxParser::FunctionContext::between(size_t i) {
  return getRuleContext<PtxParser::BetweenContext>(i);
}


size_t PtxParser::FunctionContext::getRuleIndex() const {
  return PtxParser::RuleFunction;
}


PtxParser::FunctionContext* PtxParser::function() {
  FunctionContext *_localctx = _tracker.createInstance<FunctionContext>(_ctx, getState());
  enterRule(_localctx, 8, PtxParser::RuleFunction);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(210);
    match(PtxParser::FUNC);
    setState(214);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::ATTRIBUTE) {
      setState(211);
      attribute();
      setState(216);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(218);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::LPAREN) {
      setState(217);
      params();
    }
    setState(220);
    name();
    setState(222);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::LPAREN) {
      setState(221);
      params();
    }
    setState(227);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
      | (1ULL << PtxParser::PRAGMA)
      | (1ULL << PtxParser::ATTRIBUTE)
      | (1ULL << PtxParser::DOTWORD))) != 0)) {
      setState(224);
      functionAttribute();
      setState(229);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(240);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::LBRACE

    || _la == PtxParser::SEMI) {
      setState(232);
      _errHandler->sync(this);
      switch (_input->LA(1)) {
        case PtxParser::LBRACE: {
          setState(230);
          block();
          break;
        }

        case PtxParser::SEMI: {
          setState(231);
          match(PtxParser::SEMI);
          break;
        }

      default:
        throw NoViableAltException(this);
      }
      setState(237);
      _errHandler->sync(this);
      _la = _input->LA(1);
      while ((((_la & ~ 0x3fULL) == 0) &&
        ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
        | (1ULL << PtxParser::PRAGMA)
        | (1ULL << PtxParser::DWARF))) != 0)) {
        setState(234);
        between();
        setState(239);
        _errHandler->sync(this);
        _la = _input->LA(1);
      }
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ParamsContext ------------------------------------------------------------------

PtxParser::ParamsContext::ParamsContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::ParamsContext::LPAREN() {
  return getToken(PtxParser::LPAREN, 0);
}

tree::TerminalNode* PtxParser::ParamsContext::RPAREN() {
  return getToken(PtxParser::RPAREN, 0);
}

std::vector<PtxParser::ParamContext *> PtxParser::ParamsContext::param() {
  return getRuleContexts<PtxParser::ParamContext>();
}

PtxParser::ParamContext* PtxParser::ParamsContext::param(size_t i) {
  return getRuleContext<PtxParser::ParamContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::ParamsContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::ParamsContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}


size_t PtxParser::ParamsContext::getRuleIndex() const {
  return PtxParser::RuleParams;
}


PtxParser::ParamsContext* PtxParser::params() {
  ParamsContext *_localctx = _tracker.createInstance<ParamsContext>(_ctx, getState());
  enterRule(_localctx, 10, PtxParser::RuleParams);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(242);
    match(PtxParser::LPAREN);
    setState(251);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::SPACE)
      | (1ULL << PtxParser::ALIGN)
      | (1ULL << PtxParser::ATTRIBUTE)
      | (1ULL << PtxParser::DOTWORD))) != 0)) {
      setState(243);
      param();
      setState(248);
      _errHandler->sync(this);
      _la = _input->LA(1);
      while (_la == PtxParser::COMMA) {
        setState(244);
        match(PtxParser::COMMA);
        setState(245);
        param();
        setState(250);
        _errHandler->sync(this);
        _la = _input->LA(1);
      }
    }
    setState(253);
    match(PtxParser::RPAREN);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ParamContext ------------------------------------------------------------------

PtxParser::ParamContext::ParamContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

PtxParser::NameContext* PtxParser::ParamContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

std::vector<PtxParser::QualifierContext *> PtxParser::ParamContext::qualifier() {
  return getRuleContexts<PtxParser::QualifierContext>();
}

PtxParser::QualifierContext* PtxParser::ParamContext::qualifier(size_t i) {
  return getRuleContext<PtxParser::QualifierContext>(i);
}

std::vector<PtxParser::DimensionContext *> PtxParser::ParamContext::dimension() {
  return getRuleContexts<PtxParser::DimensionContext>();
}

PtxParser::DimensionContext* PtxParser::ParamContext::dimension(size_t i) {
  return getRuleContext<PtxParser::DimensionContext>(i);
}


size_t PtxParser::ParamContext::getRuleIndex() const {
  return PtxParser::RuleParam;
}


PtxParser::ParamContext* PtxParser::param() {
  ParamContext *_localctx = _tracker.createInstance<ParamContext>(_ctx, getState());
  enterRule(_localctx, 12, PtxParser::RuleParam);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(256); 
    _errHandler->sync(this);
    _la = _input->LA(1);
    do {
      setState(255);
      qualifier();
      setState(258); 
      _errHandler->sync(this);
      _la = _input->LA(1);
    } while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::SPACE)
      | (1ULL << PtxParser::ALIGN)
      | (1ULL << PtxParser::ATTRIBUTE)
      | (1ULL << PtxParser::DOTWORD))) != 0));
    setState(260);
    name();
    setState(264);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::LBRACK) {
      setState(261);
      dimension();
      setState(266);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- FunctionAttributeContext ------------------------------------------------------------------

PtxParser::FunctionAttributeContext::FunctionAttributeContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::FunctionAttributeContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

std::vector<PtxParser::AttributeValueContext *> PtxParser::FunctionAttributeContext::attributeValue() {
  return getRuleContexts<PtxParser::AttributeValueContext>();
}

PtxParser::AttributeValueContext* PtxParser::FunctionAttributeContext::attributeValue(size_t i) {
  return getRuleContext<PtxParser::AttributeValueContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::FunctionAttributeContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::FunctionAttributeContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}

PtxParser::AttributeContext* PtxParser::FunctionAttributeContext::attribute() {
  return getRuleContext<PtxParser::AttributeContext>(0);
}

PtxParser::PragmaContext* PtxParser::FunctionAttributeContext::pragma() {
  return getRuleContext<PtxParser::PragmaContext>(0);
}

tree::TerminalNode* PtxParser::FunctionAttributeContext::OPAQUE() {
  return getToken(PtxParser::OPAQUE, 0);
}


size_t PtxParser::FunctionAttributeContext::getRuleIndex() const {
  return PtxParser::RuleFunctionAttribute;
}


PtxParser::FunctionAttributeContext* PtxParser::functionAttribute() {
  FunctionAttributeContext *_localctx = _tracker.createInstance<FunctionAttributeContext>(_ctx, getState());
  enterRule(_localctx, 14, PtxParser::RuleFunctionAttribute);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(281);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::DOTWORD: {
        enterOuterAlt(_localctx, 1);
        setState(267);
        match(PtxParser::DOTWORD);
        setState(276);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::INT)
          | (1ULL << PtxParser::STRING)
          | (1ULL << PtxParser::REG)
          | (1ULL << PtxParser::OPCODE)
          | (1ULL << PtxParser::ID))) != 0)) {
          setState(268);
          attributeValue();
          setState(273);
          _errHandler->sync(this);
          _la = _input->LA(1);
          while (_la == PtxParser::COMMA) {
            setState(269);
            match(PtxParser::COMMA);
            setState(270);
            attributeValue();
            setState(275);
            _errHandler->sync(this);
            _la = _input->LA(1);
          }
        }
        break;
      }

      case PtxParser::ATTRIBUTE: {
        enterOuterAlt(_localctx, 2);
        setState(278);
        attribute();
        break;
      }

      case PtxParser::PRAGMA: {
        enterOuterAlt(_localctx, 3);
        setState(279);
        pragma();
        break;
      }

      case PtxParser::OPAQUE: {
        enterOuterAlt(_localctx, 4);
        setState(280);
        match(PtxParser::OPAQUE);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- AttributeValueContext ------------------------------------------------------------------

PtxParser::AttributeValueContext::AttributeValueContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::AttributeValueContext::INT() {
  return getToken(PtxParser::INT, 0);
}

tree::TerminalNode* PtxParser::AttributeValueContext::STRING() {
  return getToken(PtxParser::STRING, 0);
}

PtxParser::NameContext* PtxParser::AttributeValueContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}


size_t PtxParser::AttributeValueContext::getRuleIndex() const {
  return PtxParser::RuleAttributeValue;
}


PtxParser::AttributeValueContext* PtxParser::attributeValue() {
  AttributeValueContext *_localctx = _tracker.createInstance<AttributeValueContext>(_ctx, getState());
  enterRule(_localctx, 16, PtxParser::RuleAttributeValue);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(286);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::INT: {
        enterOuterAlt(_localctx, 1);
        setState(283);
        match(PtxParser::INT);
        break;
      }

      case PtxParser::STRING: {
        enterOuterAlt(_localctx, 2);
        setState(284);
        match(PtxParser::STRING);
        break;
      }

      case PtxParser::REG:
      case PtxParser::OPCODE:
      case PtxParser::ID: {
        enterOuterAlt(_localctx, 3);
        setState(285);
        name();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- VariableContext ------------------------------------------------------------------

PtxParser::VariableContext::VariableContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::VariableContext::SPACE() {
  return getToken(PtxParser::SPACE, 0);
}

std::vector<PtxParser::DeclaratorContext *> PtxParser::VariableContext::declarator() {
  return getRuleContexts<PtxParser::DeclaratorContext>();
}

PtxParser::DeclaratorContext* PtxParser::VariableContext::declarator(size_t i) {
  return getRuleContext<PtxParser::DeclaratorContext>(i);
}

tree::TerminalNode* PtxParser::VariableContext::SEMI() {
  return getToken(PtxParser::SEMI, 0);
}

std::vector<PtxParser::QualifierContext *> PtxParser::VariableContext::qualifier() {
  return getRuleContexts<PtxParser::QualifierContext>();
}

PtxParser::QualifierContext* PtxParser::VariableContext::qualifier(size_t i) {
  return getRuleContext<PtxParser::QualifierContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::VariableContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::VariableContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}


size_t PtxParser::VariableContext::getRuleIndex() const {
  return PtxParser::RuleVariable;
}


PtxParser::VariableContext* PtxParser::variable() {
  VariableContext *_localctx = _tracker.createInstance<VariableContext>(_ctx, getState());
  enterRule(_localctx, 18, PtxParser::RuleVariable);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(288);
    match(PtxParser::SPACE);
    setState(292);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::SPACE)
      | (1ULL << PtxParser::ALIGN)
      | (1ULL << PtxParser::ATTRIBUTE)
      | (1ULL << PtxParser::DOTWORD))) != 0)) {
      setState(289);
      qualifier();
      setState(294);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(295);
    declarator();
    setState(300);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::COMMA) {
      setState(296);
      match(PtxParser::COMMA);
      setState(297);
      declarator();
      setState(302);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(303);
    match(PtxParser::SEMI);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- QualifierContext ------------------------------------------------------------------

PtxParser::QualifierContext::QualifierContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::QualifierContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

tree::TerminalNode* PtxParser::QualifierContext::SPACE() {
  return getToken(PtxParser::SPACE, 0);
}

tree::TerminalNode* PtxParser::QualifierContext::ALIGN() {
  return getToken(PtxParser::ALIGN, 0);
}

tree::TerminalNode* PtxParser::QualifierContext::INT() {
  return getToken(PtxParser::INT, 0);
}

PtxParser::AttributeContext* PtxParser::QualifierContext::attribute() {
  return getRuleContext<PtxParser::AttributeContext>(0);
}


size_t PtxParser::QualifierContext::getRuleIndex() const {
  return PtxParser::RuleQualifier;
}


PtxParser::QualifierContext* PtxParser::qualifier() {
  QualifierContext *_localctx = _tracker.createInstance<QualifierContext>(_ctx, getState());
  enterRule(_localctx, 20, PtxParser::RuleQualifier);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(310);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::DOTWORD: {
        enterOuterAlt(_localctx, 1);
        setState(305);
        match(PtxParser::DOTWORD);
        break;
      }

      case PtxParser::SPACE: {
        enterOuterAlt(_localctx, 2);
        setState(306);
        match(PtxParser::SPACE);
        break;
      }

      case PtxParser::ALIGN: {
        enterOuterAlt(_localctx, 3);
        setState(307);
        match(PtxParser::ALIGN);
        setState(308);
        match(PtxParser::INT);
        break;
      }

      case PtxParser::ATTRIBUTE: {
        enterOuterAlt(_localctx, 4);
        setState(309);
        attribute();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- AttributeContext ------------------------------------------------------------------

PtxParser::AttributeContext::AttributeContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::AttributeContext::ATTRIBUTE() {
  return getToken(PtxParser::ATTRIBUTE, 0);
}

tree::TerminalNode* PtxParser::AttributeContext::LPAREN() {
  return getToken(PtxParser::LPAREN, 0);
}

std::vector<PtxParser::AttributeItemContext *> PtxParser::AttributeContext::attributeItem() {
  return getRuleContexts<PtxParser::AttributeItemContext>();
}

PtxParser::AttributeItemContext* PtxParser::AttributeContext::attributeItem(size_t i) {
  return getRuleContext<PtxParser::AttributeItemContext>(i);
}

tree::TerminalNode* PtxParser::AttributeContext::RPAREN() {
  return getToken(PtxParser::RPAREN, 0);
}

std::vector<tree::TerminalNode *> PtxParser::AttributeContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::AttributeContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}


size_t PtxParser::AttributeContext::getRuleIndex() const {
  return PtxParser::RuleAttribute;
}


PtxParser::AttributeContext* PtxParser::attribute() {
  AttributeContext *_localctx = _tracker.createInstance<AttributeContext>(_ctx, getState());
  enterRule(_localctx, 22, PtxParser::RuleAttribute);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(312);
    match(PtxParser::ATTRIBUTE);
    setState(313);
    match(PtxParser::LPAREN);
    setState(314);
    attributeItem();
    setState(319);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::COMMA) {
      setState(315);
      match(PtxParser::COMMA);
      setState(316);
      attributeItem();
      setState(321);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(322);
    match(PtxParser::RPAREN);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- AttributeItemContext ------------------------------------------------------------------

PtxParser::AttributeItemContext::AttributeItemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::AttributeItemContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

tree::TerminalNode* PtxParser::AttributeItemContext::LPAREN() {
  return getToken(PtxParser::LPAREN, 0);
}

std::vector<PtxParser::AttributeValueContext *> PtxParser::AttributeItemContext::attributeValue() {
  return getRuleContexts<PtxParser::AttributeValueContext>();
}

PtxParser::AttributeValueContext* PtxParser::AttributeItemContext::attributeValue(size_t i) {
  return getRuleContext<PtxParser::AttributeValueContext>(i);
}

tree::TerminalNode* PtxParser::AttributeItemContext::RPAREN() {
  return getToken(PtxParser::RPAREN, 0);
}

std::vector<tree::TerminalNode *> PtxParser::AttributeItemContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::AttributeItemContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}


size_t PtxParser::AttributeItemContext::getRuleIndex() const {
  return PtxParser::RuleAttributeItem;
}


PtxParser::AttributeItemContext* PtxParser::attributeItem() {
  AttributeItemContext *_localctx = _tracker.createInstance<AttributeItemContext>(_ctx, getState());
  enterRule(_localctx, 24, PtxParser::RuleAttributeItem);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(324);
    match(PtxParser::DOTWORD);
    setState(336);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::LPAREN) {
      setState(325);
      match(PtxParser::LPAREN);
      setState(326);
      attributeValue();
      setState(331);
      _errHandler->sync(this);
      _la = _input->LA(1);
      while (_la == PtxParser::COMMA) {
        setState(327);
        match(PtxParser::COMMA);
        setState(328);
        attributeValue();
        setState(333);
        _errHandler->sync(this);
        _la = _input->LA(1);
      }
      setState(334);
      match(PtxParser::RPAREN);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- DeclaratorContext ------------------------------------------------------------------

PtxParser::DeclaratorContext::DeclaratorContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

PtxParser::NameContext* PtxParser::DeclaratorContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

tree::TerminalNode* PtxParser::DeclaratorContext::LESS() {
  return getToken(PtxParser::LESS, 0);
}

tree::TerminalNode* PtxParser::DeclaratorContext::INT() {
  return getToken(PtxParser::INT, 0);
}

tree::TerminalNode* PtxParser::DeclaratorContext::GREATER() {
  return getToken(PtxParser::GREATER, 0);
}

std::vector<PtxParser::DimensionContext *> PtxParser::DeclaratorContext::dimension() {
  return getRuleContexts<PtxParser::DimensionContext>();
}

PtxParser::DimensionContext* PtxParser::DeclaratorContext::dimension(size_t i) {
  return getRuleContext<PtxParser::DimensionContext>(i);
}

tree::TerminalNode* PtxParser::DeclaratorContext::ASSIGN() {
  return getToken(PtxParser::ASSIGN, 0);
}

PtxParser::InitializerContext* PtxParser::DeclaratorContext::initializer() {
  return getRuleContext<PtxParser::InitializerContext>(0);
}


size_t PtxParser::DeclaratorContext::getRuleIndex() const {
  return PtxParser::RuleDeclarator;
}


PtxParser::DeclaratorContext* PtxParser::declarator() {
  DeclaratorContext *_localctx = _tracker.createInstance<DeclaratorContext>(_ctx, getState());
  enterRule(_localctx, 26, PtxParser::RuleDeclarator);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(338);
    name();
    setState(342);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::LESS) {
      setState(339);
      match(PtxParser::LESS);
      setState(340);
      match(PtxParser::INT);
      setState(341);
      match(PtxParser::GREATER);
    }
    setState(347);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::LBRACK) {
      setState(344);
      dimension();
      setState(349);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(352);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::ASSIGN) {
      setState(350);
      match(PtxParser::ASSIGN);
      setState(351);
      initializer();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- DimensionContext ------------------------------------------------------------------

PtxParser::DimensionContext::DimensionContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::DimensionContext::LBRACK() {
  return getToken(PtxParser::LBRACK, 0);
}

tree::TerminalNode* PtxParser::DimensionContext::RBRACK() {
  return getToken(PtxParser::RBRACK, 0);
}

PtxParser::ExpressionContext* PtxParser::DimensionContext::expression() {
  return getRuleContext<PtxParser::ExpressionContext>(0);
}


size_t PtxParser::DimensionContext::getRuleIndex() const {
  return PtxParser::RuleDimension;
}


PtxParser::DimensionContext* PtxParser::dimension() {
  DimensionContext *_localctx = _tracker.createInstance<DimensionContext>(_ctx, getState());
  enterRule(_localctx, 28, PtxParser::RuleDimension);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(354);
    match(PtxParser::LBRACK);
    setState(356);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::FLOAT)
      | (1ULL << PtxParser::INT)
      | (1ULL << PtxParser::REG)
      | (1ULL << PtxParser::OPCODE)
      | (1ULL << PtxParser::ID)
      | (1ULL << PtxParser::LPAREN)
      | (1ULL << PtxParser::BANG)
      | (1ULL << PtxParser::PLUS)
      | (1ULL << PtxParser::MINUS)
      | (1ULL << PtxParser::TILDE))) != 0)) {
      setState(355);
      expression();
    }
    setState(358);
    match(PtxParser::RBRACK);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- InitializerContext ------------------------------------------------------------------

PtxParser::InitializerContext::InitializerContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::InitializerContext::LBRACE() {
  return getToken(PtxParser::LBRACE, 0);
}

tree::TerminalNode* PtxParser::InitializerContext::RBRACE() {
  return getToken(PtxParser::RBRACE, 0);
}

std::vector<PtxParser::InitializerContext *> PtxParser::InitializerContext::initializer() {
  return getRuleContexts<PtxParser::InitializerContext>();
}

PtxParser::InitializerContext* PtxParser::InitializerContext::initializer(size_t i) {
  return getRuleContext<PtxParser::InitializerContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::InitializerContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::InitializerContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}

std::vector<PtxParser::ExpressionContext *> PtxParser::InitializerContext::expression() {
  return getRuleContexts<PtxParser::ExpressionContext>();
}

PtxParser::ExpressionContext* PtxParser::InitializerContext::expression(size_t i) {
  return getRuleContext<PtxParser::ExpressionContext>(i);
}

tree::TerminalNode* PtxParser::InitializerContext::ASSIGN() {
  return getToken(PtxParser::ASSIGN, 0);
}


size_t PtxParser::InitializerContext::getRuleIndex() const {
  return PtxParser::RuleInitializer;
}


PtxParser::InitializerContext* PtxParser::initializer() {
  InitializerContext *_localctx = _tracker.createInstance<InitializerContext>(_ctx, getState());
  enterRule(_localctx, 30, PtxParser::RuleInitializer);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(377);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::LBRACE: {
        enterOuterAlt(_localctx, 1);
        setState(360);
        match(PtxParser::LBRACE);
        setState(369);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::FLOAT)
          | (1ULL << PtxParser::INT)
          | (1ULL << PtxParser::REG)
          | (1ULL << PtxParser::OPCODE)
          | (1ULL << PtxParser::ID)
          | (1ULL << PtxParser::LBRACE)
          | (1ULL << PtxParser::LPAREN)
          | (1ULL << PtxParser::BANG)
          | (1ULL << PtxParser::PLUS)
          | (1ULL << PtxParser::MINUS)
          | (1ULL << PtxParser::TILDE))) != 0)) {
          setState(361);
          initializer();
          setState(366);
          _errHandler->sync(this);
          _la = _input->LA(1);
          while (_la == PtxParser::COMMA) {
            setState(362);
            match(PtxParser::COMMA);
            setState(363);
            initializer();
            setState(368);
            _errHandler->sync(this);
            _la = _input->LA(1);
          }
        }
        setState(371);
        match(PtxParser::RBRACE);
        break;
      }

      case PtxParser::FLOAT:
      case PtxParser::INT:
      case PtxParser::REG:
      case PtxParser::OPCODE:
      case PtxParser::ID:
      case PtxParser::LPAREN:
      case PtxParser::BANG:
      case PtxParser::PLUS:
      case PtxParser::MINUS:
      case PtxParser::TILDE: {
        enterOuterAlt(_localctx, 2);
        setState(372);
        expression();
        setState(375);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == PtxParser::ASSIGN) {
          setState(373);
          match(PtxParser::ASSIGN);
          setState(374);
          expression();
        }
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BlockContext ------------------------------------------------------------------

PtxParser::BlockContext::BlockContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::BlockContext::LBRACE() {
  return getToken(PtxParser::LBRACE, 0);
}

tree::TerminalNode* PtxParser::BlockContext::RBRACE() {
  return getToken(PtxParser::RBRACE, 0);
}

std::vector<PtxParser::StatementContext *> PtxParser::BlockContext::statement() {
  return getRuleContexts<PtxParser::StatementContext>();
}

PtxParser::StatementContext* PtxParser::BlockContext::statement(size_t i) {
  return getRuleContext<PtxParser::StatementContext>(i);
}


size_t PtxParser::BlockContext::getRuleIndex() const {
  return PtxParser::RuleBlock;
}


PtxParser::BlockContext* PtxParser::block() {
  BlockContext *_localctx = _tracker.createInstance<BlockContext>(_ctx, getState());
  enterRule(_localctx, 32, PtxParser::RuleBlock);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(379);
    match(PtxParser::LBRACE);
    setState(383);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
      | (1ULL << PtxParser::PRAGMA)
      | (1ULL << PtxParser::BRANCHTARGETS)
      | (1ULL << PtxParser::CALLTARGETS)
      | (1ULL << PtxParser::CALLPROTOTYPE)
      | (1ULL << PtxParser::FILE)
      | (1ULL << PtxParser::LOC)
      | (1ULL << PtxParser::LOC_INTERMEDIATE)
      | (1ULL << PtxParser::SECTION)
      | (1ULL << PtxParser::DWARF)
      | (1ULL << PtxParser::SPACE)
      | (1ULL << PtxParser::REG)
      | (1ULL << PtxParser::OPCODE)
      | (1ULL << PtxParser::ID)
      | (1ULL << PtxParser::LBRACE)
      | (1ULL << PtxParser::AT))) != 0)) {
      setState(380);
      statement();
      setState(385);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(386);
    match(PtxParser::RBRACE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- StatementContext ------------------------------------------------------------------

PtxParser::StatementContext::StatementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::StatementContext::OPCODE() {
  return getToken(PtxParser::OPCODE, 0);
}

tree::TerminalNode* PtxParser::StatementContext::SEMI() {
  return getToken(PtxParser::SEMI, 0);
}

std::vector<PtxParser::ModifierContext *> PtxParser::StatementContext::modifier() {
  return getRuleContexts<PtxParser::ModifierContext>();
}

PtxParser::ModifierContext* PtxParser::StatementContext::modifier(size_t i) {
  return getRuleContext<PtxParser::ModifierContext>(i);
}

PtxParser::OperandsContext* PtxParser::StatementContext::operands() {
  return getRuleContext<PtxParser::OperandsContext>(0);
}

tree::TerminalNode* PtxParser::StatementContext::ID() {
  return getToken(PtxParser::ID, 0);
}

tree::TerminalNode* PtxParser::StatementContext::COLON() {
  return getToken(PtxParser::COLON, 0);
}

tree::TerminalNode* PtxParser::StatementContext::REG() {
  return getToken(PtxParser::REG, 0);
}

PtxParser::GuardContext* PtxParser::StatementContext::guard() {
  return getRuleContext<PtxParser::GuardContext>(0);
}

PtxParser::VariableContext* PtxParser::StatementContext::variable() {
  return getRuleContext<PtxParser::VariableContext>(0);
}

PtxParser::BlockContext* PtxParser::StatementContext::block() {
  return getRuleContext<PtxParser::BlockContext>(0);
}

tree::TerminalNode* PtxParser::StatementContext::BRANCHTARGETS() {
  return getToken(PtxParser::BRANCHTARGETS, 0);
}

std::vector<PtxParser::TargetContext *> PtxParser::StatementContext::target() {
  return getRuleContexts<PtxParser::TargetContext>();
}

PtxParser::TargetContext* PtxParser::StatementContext::target(size_t i) {
  return getRuleContext<PtxParser::TargetContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::StatementContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::StatementContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}

tree::TerminalNode* PtxParser::StatementContext::CALLTARGETS() {
  return getToken(PtxParser::CALLTARGETS, 0);
}

tree::TerminalNode* PtxParser::StatementContext::CALLPROTOTYPE() {
  return getToken(PtxParser::CALLPROTOTYPE, 0);
}

PtxParser::NameContext* PtxParser::StatementContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

std::vector<PtxParser::ParamsContext *> PtxParser::StatementContext::params() {
  return getRuleContexts<PtxParser::ParamsContext>();
}

PtxParser::ParamsContext* PtxParser::StatementContext::params(size_t i) {
  return getRuleContext<PtxParser::ParamsContext>(i);
}

std::vector<PtxParser::FunctionAttributeContext *> PtxParser::StatementContext::functionAttribute() {
  return getRuleContexts<PtxParser::FunctionAttributeContext>();
}

PtxParser::FunctionAttributeContext* PtxParser::StatementContext::functionAttribute(size_t i) {
  return getRuleContext<PtxParser::FunctionAttributeContext>(i);
}

PtxParser::PragmaContext* PtxParser::StatementContext::pragma() {
  return getRuleContext<PtxParser::PragmaContext>(0);
}

PtxParser::FileDirectiveContext* PtxParser::StatementContext::fileDirective() {
  return getRuleContext<PtxParser::FileDirectiveContext>(0);
}

PtxParser::LocDirectiveContext* PtxParser::StatementContext::locDirective() {
  return getRuleContext<PtxParser::LocDirectiveContext>(0);
}

PtxParser::SectionContext* PtxParser::StatementContext::section() {
  return getRuleContext<PtxParser::SectionContext>(0);
}

PtxParser::UnknownDirectiveContext* PtxParser::StatementContext::unknownDirective() {
  return getRuleContext<PtxParser::UnknownDirectiveContext>(0);
}


size_t PtxParser::StatementContext::getRuleIndex() const {
  return PtxParser::RuleStatement;
}


PtxParser::StatementContext* PtxParser::statement() {
  StatementContext *_localctx = _tracker.createInstance<StatementContext>(_ctx, getState());
  enterRule(_localctx, 34, PtxParser::RuleStatement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(473);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::OPCODE: {
        enterOuterAlt(_localctx, 1);
        setState(388);
        match(PtxParser::OPCODE);
        setState(392);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::LINKAGE)
          | (1ULL << PtxParser::ALIAS)
          | (1ULL << PtxParser::SPACE)
          | (1ULL << PtxParser::DOTWORD))) != 0)) {
          setState(389);
          modifier();
          setState(394);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        setState(396);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::FLOAT)
          | (1ULL << PtxParser::INT)
          | (1ULL << PtxParser::REG)
          | (1ULL << PtxParser::OPCODE)
          | (1ULL << PtxParser::ID)
          | (1ULL << PtxParser::LBRACE)
          | (1ULL << PtxParser::LPAREN)
          | (1ULL << PtxParser::LBRACK)
          | (1ULL << PtxParser::BANG)
          | (1ULL << PtxParser::PLUS)
          | (1ULL << PtxParser::MINUS)
          | (1ULL << PtxParser::TILDE))) != 0)) {
          setState(395);
          operands();
        }
        setState(398);
        match(PtxParser::SEMI);
        break;
      }

      case PtxParser::ID: {
        enterOuterAlt(_localctx, 2);
        setState(399);
        match(PtxParser::ID);
        setState(411);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case PtxParser::COLON: {
            setState(400);
            match(PtxParser::COLON);
            break;
          }

          case PtxParser::LINKAGE:
          case PtxParser::ALIAS:
          case PtxParser::SPACE:
          case PtxParser::FLOAT:
          case PtxParser::INT:
          case PtxParser::DOTWORD:
          case PtxParser::REG:
          case PtxParser::OPCODE:
          case PtxParser::ID:
          case PtxParser::LBRACE:
          case PtxParser::LPAREN:
          case PtxParser::LBRACK:
          case PtxParser::SEMI:
          case PtxParser::BANG:
          case PtxParser::PLUS:
          case PtxParser::MINUS:
          case PtxParser::TILDE: {
            setState(404);
            _errHandler->sync(this);
            _la = _input->LA(1);
            while ((((_la & ~ 0x3fULL) == 0) &&
              ((1ULL << _la) & ((1ULL << PtxParser::LINKAGE)
              | (1ULL << PtxParser::ALIAS)
              | (1ULL << PtxParser::SPACE)
              | (1ULL << PtxParser::DOTWORD))) != 0)) {
              setState(401);
              modifier();
              setState(406);
              _errHandler->sync(this);
              _la = _input->LA(1);
            }
            setState(408);
            _errHandler->sync(this);

            _la = _input->LA(1);
            if ((((_la & ~ 0x3fULL) == 0) &&
              ((1ULL << _la) & ((1ULL << PtxParser::FLOAT)
              | (1ULL << PtxParser::INT)
              | (1ULL << PtxParser::REG)
              | (1ULL << PtxParser::OPCODE)
              | (1ULL << PtxParser::ID)
              | (1ULL << PtxParser::LBRACE)
              | (1ULL << PtxParser::LPAREN)
              | (1ULL << PtxParser::LBRACK)
              | (1ULL << PtxParser::BANG)
              | (1ULL << PtxParser::PLUS)
              | (1ULL << PtxParser::MINUS)
              | (1ULL << PtxParser::TILDE))) != 0)) {
              setState(407);
              operands();
            }
            setState(410);
            match(PtxParser::SEMI);
            break;
          }

        default:
          throw NoViableAltException(this);
        }
        break;
      }

      case PtxParser::REG: {
        enterOuterAlt(_localctx, 3);
        setState(413);
        match(PtxParser::REG);
        setState(414);
        match(PtxParser::COLON);
        break;
      }

      case PtxParser::AT: {
        enterOuterAlt(_localctx, 4);
        setState(415);
        guard();
        setState(416);
        _la = _input->LA(1);
        if (!(_la == PtxParser::OPCODE

        || _la == PtxParser::ID)) {
        _errHandler->recoverInline(this);
        }
        else {
          _errHandler->reportMatch(this);
          consume();
        }
        setState(420);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::LINKAGE)
          | (1ULL << PtxParser::ALIAS)
          | (1ULL << PtxParser::SPACE)
          | (1ULL << PtxParser::DOTWORD))) != 0)) {
          setState(417);
          modifier();
          setState(422);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        setState(424);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::FLOAT)
          | (1ULL << PtxParser::INT)
          | (1ULL << PtxParser::REG)
          | (1ULL << PtxParser::OPCODE)
          | (1ULL << PtxParser::ID)
          | (1ULL << PtxParser::LBRACE)
          | (1ULL << PtxParser::LPAREN)
          | (1ULL << PtxParser::LBRACK)
          | (1ULL << PtxParser::BANG)
          | (1ULL << PtxParser::PLUS)
          | (1ULL << PtxParser::MINUS)
          | (1ULL << PtxParser::TILDE))) != 0)) {
          setState(423);
          operands();
        }
        setState(426);
        match(PtxParser::SEMI);
        break;
      }

      case PtxParser::SPACE: {
        enterOuterAlt(_localctx, 5);
        setState(428);
        variable();
        break;
      }

      case PtxParser::LBRACE: {
        enterOuterAlt(_localctx, 6);
        setState(429);
        block();
        break;
      }

      case PtxParser::BRANCHTARGETS: {
        enterOuterAlt(_localctx, 7);
        setState(430);
        match(PtxParser::BRANCHTARGETS);
        setState(431);
        target();
        setState(436);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while (_la == PtxParser::COMMA) {
          setState(432);
          match(PtxParser::COMMA);
          setState(433);
          target();
          setState(438);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        setState(439);
        match(PtxParser::SEMI);
        break;
      }

      case PtxParser::CALLTARGETS: {
        enterOuterAlt(_localctx, 8);
        setState(441);
        match(PtxParser::CALLTARGETS);
        setState(442);
        target();
        setState(447);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while (_la == PtxParser::COMMA) {
          setState(443);
          match(PtxParser::COMMA);
          setState(444);
          target();
          setState(449);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        setState(450);
        match(PtxParser::SEMI);
        break;
      }

      case PtxParser::CALLPROTOTYPE: {
        enterOuterAlt(_localctx, 9);
        setState(452);
        match(PtxParser::CALLPROTOTYPE);
        setState(454);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == PtxParser::LPAREN) {
          setState(453);
          params();
        }
        setState(456);
        name();
        setState(458);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == PtxParser::LPAREN) {
          setState(457);
          params();
        }
        setState(463);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while ((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::OPAQUE)
          | (1ULL << PtxParser::PRAGMA)
          | (1ULL << PtxParser::ATTRIBUTE)
          | (1ULL << PtxParser::DOTWORD))) != 0)) {
          setState(460);
          functionAttribute();
          setState(465);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        setState(466);
        match(PtxParser::SEMI);
        break;
      }

      case PtxParser::PRAGMA: {
        enterOuterAlt(_localctx, 10);
        setState(468);
        pragma();
        break;
      }

      case PtxParser::FILE: {
        enterOuterAlt(_localctx, 11);
        setState(469);
        fileDirective();
        break;
      }

      case PtxParser::LOC:
      case PtxParser::LOC_INTERMEDIATE: {
        enterOuterAlt(_localctx, 12);
        setState(470);
        locDirective();
        break;
      }

      case PtxParser::SECTION: {
        enterOuterAlt(_localctx, 13);
        setState(471);
        section();
        break;
      }

      case PtxParser::OPAQUE:
      case PtxParser::DWARF: {
        enterOuterAlt(_localctx, 14);
        setState(472);
        unknownDirective();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- GuardContext ------------------------------------------------------------------

PtxParser::GuardContext::GuardContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::GuardContext::AT() {
  return getToken(PtxParser::AT, 0);
}

PtxParser::NameContext* PtxParser::GuardContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

tree::TerminalNode* PtxParser::GuardContext::BANG() {
  return getToken(PtxParser::BANG, 0);
}


size_t PtxParser::GuardContext::getRuleIndex() const {
  return PtxParser::RuleGuard;
}


PtxParser::GuardContext* PtxParser::guard() {
  GuardContext *_localctx = _tracker.createInstance<GuardContext>(_ctx, getState());
  enterRule(_localctx, 36, PtxParser::RuleGuard);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(475);
    match(PtxParser::AT);
    setState(477);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::BANG) {
      setState(476);
      match(PtxParser::BANG);
    }
    setState(479);
    name();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ModifierContext ------------------------------------------------------------------

PtxParser::ModifierContext::ModifierContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::ModifierContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

tree::TerminalNode* PtxParser::ModifierContext::SPACE() {
  return getToken(PtxParser::SPACE, 0);
}

tree::TerminalNode* PtxParser::ModifierContext::LINKAGE() {
  return getToken(PtxParser::LINKAGE, 0);
}

tree::TerminalNode* PtxParser::ModifierContext::ALIAS() {
  return getToken(PtxParser::ALIAS, 0);
}


size_t PtxParser::ModifierContext::getRuleIndex() const {
  return PtxParser::RuleModifier;
}


PtxParser::ModifierContext* PtxParser::modifier() {
  ModifierContext *_localctx = _tracker.createInstance<ModifierContext>(_ctx, getState());
  enterRule(_localctx, 38, PtxParser::RuleModifier);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(481);
    _la = _input->LA(1);
    if (!((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::LINKAGE)
      | (1ULL << PtxParser::ALIAS)
      | (1ULL << PtxParser::SPACE)
      | (1ULL << PtxParser::DOTWORD))) != 0))) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- TargetContext ------------------------------------------------------------------

PtxParser::TargetContext::TargetContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

PtxParser::NameContext* PtxParser::TargetContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

tree::TerminalNode* PtxParser::TargetContext::LESS() {
  return getToken(PtxParser::LESS, 0);
}

tree::TerminalNode* PtxParser::TargetContext::INT() {
  return getToken(PtxParser::INT, 0);
}

tree::TerminalNode* PtxParser::TargetContext::GREATER() {
  return getToken(PtxParser::GREATER, 0);
}


size_t PtxParser::TargetContext::getRuleIndex() const {
  return PtxParser::RuleTarget;
}


PtxParser::TargetContext* PtxParser::target() {
  TargetContext *_localctx = _tracker.createInstance<TargetContext>(_ctx, getState());
  enterRule(_localctx, 40, PtxParser::RuleTarget);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(483);
    name();
    setState(487);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::LESS) {
      setState(484);
      match(PtxParser::LESS);
      setState(485);
      match(PtxParser::INT);
      setState(486);
      match(PtxParser::GREATER);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- OperandsContext ------------------------------------------------------------------

PtxParser::OperandsContext::OperandsContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<PtxParser::OperandContext *> PtxParser::OperandsContext::operand() {
  return getRuleContexts<PtxParser::OperandContext>();
}

PtxParser::OperandContext* PtxParser::OperandsContext::operand(size_t i) {
  return getRuleContext<PtxParser::OperandContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::OperandsContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::OperandsContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}


size_t PtxParser::OperandsContext::getRuleIndex() const {
  return PtxParser::RuleOperands;
}


PtxParser::OperandsContext* PtxParser::operands() {
  OperandsContext *_localctx = _tracker.createInstance<OperandsContext>(_ctx, getState());
  enterRule(_localctx, 42, PtxParser::RuleOperands);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(489);
    operand();
    setState(494);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::COMMA) {
      setState(490);
      match(PtxParser::COMMA);
      setState(491);
      operand();
      setState(496);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- OperandContext ------------------------------------------------------------------

PtxParser::OperandContext::OperandContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

PtxParser::AddressContext* PtxParser::OperandContext::address() {
  return getRuleContext<PtxParser::AddressContext>(0);
}

PtxParser::VectorContext* PtxParser::OperandContext::vector() {
  return getRuleContext<PtxParser::VectorContext>(0);
}

tree::TerminalNode* PtxParser::OperandContext::PIPE() {
  return getToken(PtxParser::PIPE, 0);
}

PtxParser::TermContext* PtxParser::OperandContext::term() {
  return getRuleContext<PtxParser::TermContext>(0);
}

PtxParser::ExpressionContext* PtxParser::OperandContext::expression() {
  return getRuleContext<PtxParser::ExpressionContext>(0);
}


size_t PtxParser::OperandContext::getRuleIndex() const {
  return PtxParser::RuleOperand;
}


PtxParser::OperandContext* PtxParser::operand() {
  OperandContext *_localctx = _tracker.createInstance<OperandContext>(_ctx, getState());
  enterRule(_localctx, 44, PtxParser::RuleOperand);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(504);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::LBRACK: {
        enterOuterAlt(_localctx, 1);
        setState(497);
        address();
        break;
      }

      case PtxParser::LBRACE: {
        enterOuterAlt(_localctx, 2);
        setState(498);
        vector();
        setState(501);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == PtxParser::PIPE) {
          setState(499);
          match(PtxParser::PIPE);
          setState(500);
          term();
        }
        break;
      }

      case PtxParser::FLOAT:
      case PtxParser::INT:
      case PtxParser::REG:
      case PtxParser::OPCODE:
      case PtxParser::ID:
      case PtxParser::LPAREN:
      case PtxParser::BANG:
      case PtxParser::PLUS:
      case PtxParser::MINUS:
      case PtxParser::TILDE: {
        enterOuterAlt(_localctx, 3);
        setState(503);
        expression();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- AddressContext ------------------------------------------------------------------

PtxParser::AddressContext::AddressContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::AddressContext::LBRACK() {
  return getToken(PtxParser::LBRACK, 0);
}

PtxParser::OperandsContext* PtxParser::AddressContext::operands() {
  return getRuleContext<PtxParser::OperandsContext>(0);
}

tree::TerminalNode* PtxParser::AddressContext::RBRACK() {
  return getToken(PtxParser::RBRACK, 0);
}


size_t PtxParser::AddressContext::getRuleIndex() const {
  return PtxParser::RuleAddress;
}


PtxParser::AddressContext* PtxParser::address() {
  AddressContext *_localctx = _tracker.createInstance<AddressContext>(_ctx, getState());
  enterRule(_localctx, 46, PtxParser::RuleAddress);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(506);
    match(PtxParser::LBRACK);
    setState(507);
    operands();
    setState(508);
    match(PtxParser::RBRACK);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- VectorContext ------------------------------------------------------------------

PtxParser::VectorContext::VectorContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::VectorContext::LBRACE() {
  return getToken(PtxParser::LBRACE, 0);
}

tree::TerminalNode* PtxParser::VectorContext::RBRACE() {
  return getToken(PtxParser::RBRACE, 0);
}

PtxParser::OperandsContext* PtxParser::VectorContext::operands() {
  return getRuleContext<PtxParser::OperandsContext>(0);
}


size_t PtxParser::VectorContext::getRuleIndex() const {
  return PtxParser::RuleVector;
}


PtxParser::VectorContext* PtxParser::vector() {
  VectorContext *_localctx = _tracker.createInstance<VectorContext>(_ctx, getState());
  enterRule(_localctx, 48, PtxParser::RuleVector);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(510);
    match(PtxParser::LBRACE);
    setState(512);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::FLOAT)
      | (1ULL << PtxParser::INT)
      | (1ULL << PtxParser::REG)
      | (1ULL << PtxParser::OPCODE)
      | (1ULL << PtxParser::ID)
      | (1ULL << PtxParser::LBRACE)
      | (1ULL << PtxParser::LPAREN)
      | (1ULL << PtxParser::LBRACK)
      | (1ULL << PtxParser::BANG)
      | (1ULL << PtxParser::PLUS)
      | (1ULL << PtxParser::MINUS)
      | (1ULL << PtxParser::TILDE))) != 0)) {
      setState(511);
      operands();
    }
    setState(514);
    match(PtxParser::RBRACE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ExpressionContext ------------------------------------------------------------------

PtxParser::ExpressionContext::ExpressionContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<PtxParser::TermContext *> PtxParser::ExpressionContext::term() {
  return getRuleContexts<PtxParser::TermContext>();
}

PtxParser::TermContext* PtxParser::ExpressionContext::term(size_t i) {
  return getRuleContext<PtxParser::TermContext>(i);
}

std::vector<PtxParser::BinaryOperatorContext *> PtxParser::ExpressionContext::binaryOperator() {
  return getRuleContexts<PtxParser::BinaryOperatorContext>();
}

PtxParser::BinaryOperatorContext* PtxParser::ExpressionContext::binaryOperator(size_t i) {
  return getRuleContext<PtxParser::BinaryOperatorContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::ExpressionContext::QUESTION() {
  return getTokens(PtxParser::QUESTION);
}

tree::TerminalNode* PtxParser::ExpressionContext::QUESTION(size_t i) {
  return getToken(PtxParser::QUESTION, i);
}

std::vector<PtxParser::ExpressionContext *> PtxParser::ExpressionContext::expression() {
  return getRuleContexts<PtxParser::ExpressionContext>();
}

PtxParser::ExpressionContext* PtxParser::ExpressionContext::expression(size_t i) {
  return getRuleContext<PtxParser::ExpressionContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::ExpressionContext::COLON() {
  return getTokens(PtxParser::COLON);
}

tree::TerminalNode* PtxParser::ExpressionContext::COLON(size_t i) {
  return getToken(PtxParser::COLON, i);
}


size_t PtxParser::ExpressionContext::getRuleIndex() const {
  return PtxParser::RuleExpression;
}


PtxParser::ExpressionContext* PtxParser::expression() {
  ExpressionContext *_localctx = _tracker.createInstance<ExpressionContext>(_ctx, getState());
  enterRule(_localctx, 50, PtxParser::RuleExpression);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(516);
    term();
    setState(527);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::LESS)
      | (1ULL << PtxParser::GREATER)
      | (1ULL << PtxParser::PLUS)
      | (1ULL << PtxParser::MINUS)
      | (1ULL << PtxParser::PIPE)
      | (1ULL << PtxParser::STAR)
      | (1ULL << PtxParser::QUESTION)
      | (1ULL << PtxParser::OPERATOR))) != 0)) {
      setState(525);
      _errHandler->sync(this);
      switch (_input->LA(1)) {
        case PtxParser::LESS:
        case PtxParser::GREATER:
        case PtxParser::PLUS:
        case PtxParser::MINUS:
        case PtxParser::PIPE:
        case PtxParser::STAR:
        case PtxParser::OPERATOR: {
          setState(517);
          binaryOperator();
          setState(518);
          term();
          break;
        }

        case PtxParser::QUESTION: {
          setState(520);
          match(PtxParser::QUESTION);
          setState(521);
          expression();
          setState(522);
          match(PtxParser::COLON);
          setState(523);
          term();
          break;
        }

      default:
        throw NoViableAltException(this);
      }
      setState(529);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- TermContext ------------------------------------------------------------------

PtxParser::TermContext::TermContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::TermContext::INT() {
  return getToken(PtxParser::INT, 0);
}

tree::TerminalNode* PtxParser::TermContext::FLOAT() {
  return getToken(PtxParser::FLOAT, 0);
}

tree::TerminalNode* PtxParser::TermContext::LPAREN() {
  return getToken(PtxParser::LPAREN, 0);
}

std::vector<PtxParser::UnaryOperatorContext *> PtxParser::TermContext::unaryOperator() {
  return getRuleContexts<PtxParser::UnaryOperatorContext>();
}

PtxParser::UnaryOperatorContext* PtxParser::TermContext::unaryOperator(size_t i) {
  return getRuleContext<PtxParser::UnaryOperatorContext>(i);
}

tree::TerminalNode* PtxParser::TermContext::ID() {
  return getToken(PtxParser::ID, 0);
}

tree::TerminalNode* PtxParser::TermContext::REG() {
  return getToken(PtxParser::REG, 0);
}

tree::TerminalNode* PtxParser::TermContext::OPCODE() {
  return getToken(PtxParser::OPCODE, 0);
}

tree::TerminalNode* PtxParser::TermContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

tree::TerminalNode* PtxParser::TermContext::RPAREN() {
  return getToken(PtxParser::RPAREN, 0);
}

PtxParser::TermContext* PtxParser::TermContext::term() {
  return getRuleContext<PtxParser::TermContext>(0);
}

PtxParser::ExpressionContext* PtxParser::TermContext::expression() {
  return getRuleContext<PtxParser::ExpressionContext>(0);
}

tree::TerminalNode* PtxParser::TermContext::LBRACK() {
  return getToken(PtxParser::LBRACK, 0);
}

tree::TerminalNode* PtxParser::TermContext::RBRACK() {
  return getToken(PtxParser::RBRACK, 0);
}

PtxParser::OperandsContext* PtxParser::TermContext::operands() {
  return getRuleContext<PtxParser::OperandsContext>(0);
}


size_t PtxParser::TermContext::getRuleIndex() const {
  return PtxParser::RuleTerm;
}


PtxParser::TermContext* PtxParser::term() {
  TermContext *_localctx = _tracker.createInstance<TermContext>(_ctx, getState());
  enterRule(_localctx, 52, PtxParser::RuleTerm);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(533);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::BANG)
      | (1ULL << PtxParser::PLUS)
      | (1ULL << PtxParser::MINUS)
      | (1ULL << PtxParser::TILDE))) != 0)) {
      setState(530);
      unaryOperator();
      setState(535);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(565);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::REG:
      case PtxParser::OPCODE:
      case PtxParser::ID: {
        setState(536);
        _la = _input->LA(1);
        if (!((((_la & ~ 0x3fULL) == 0) &&
          ((1ULL << _la) & ((1ULL << PtxParser::REG)
          | (1ULL << PtxParser::OPCODE)
          | (1ULL << PtxParser::ID))) != 0))) {
        _errHandler->recoverInline(this);
        }
        else {
          _errHandler->reportMatch(this);
          consume();
        }
        setState(545);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case PtxParser::LPAREN: {
            setState(537);
            match(PtxParser::LPAREN);
            setState(538);
            expression();
            setState(539);
            match(PtxParser::RPAREN);
            break;
          }

          case PtxParser::LBRACK: {
            setState(541);
            match(PtxParser::LBRACK);
            setState(542);
            expression();
            setState(543);
            match(PtxParser::RBRACK);
            break;
          }

          case PtxParser::RBRACE:
          case PtxParser::RPAREN:
          case PtxParser::RBRACK:
          case PtxParser::LESS:
          case PtxParser::GREATER:
          case PtxParser::SEMI:
          case PtxParser::COMMA:
          case PtxParser::COLON:
          case PtxParser::ASSIGN:
          case PtxParser::PLUS:
          case PtxParser::MINUS:
          case PtxParser::PIPE:
          case PtxParser::STAR:
          case PtxParser::QUESTION:
          case PtxParser::OPERATOR: {
            break;
          }

        default:
          break;
        }
        break;
      }

      case PtxParser::INT: {
        setState(547);
        match(PtxParser::INT);
        setState(552);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == PtxParser::LPAREN) {
          setState(548);
          match(PtxParser::LPAREN);
          setState(549);
          expression();
          setState(550);
          match(PtxParser::RPAREN);
        }
        break;
      }

      case PtxParser::FLOAT: {
        setState(554);
        match(PtxParser::FLOAT);
        break;
      }

      case PtxParser::LPAREN: {
        setState(555);
        match(PtxParser::LPAREN);
        setState(563);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case PtxParser::DOTWORD: {
            setState(556);
            match(PtxParser::DOTWORD);
            setState(557);
            match(PtxParser::RPAREN);
            setState(558);
            term();
            break;
          }

          case PtxParser::FLOAT:
          case PtxParser::INT:
          case PtxParser::REG:
          case PtxParser::OPCODE:
          case PtxParser::ID:
          case PtxParser::LBRACE:
          case PtxParser::LPAREN:
          case PtxParser::RPAREN:
          case PtxParser::LBRACK:
          case PtxParser::BANG:
          case PtxParser::PLUS:
          case PtxParser::MINUS:
          case PtxParser::TILDE: {
            setState(560);
            _errHandler->sync(this);

            _la = _input->LA(1);
            if ((((_la & ~ 0x3fULL) == 0) &&
              ((1ULL << _la) & ((1ULL << PtxParser::FLOAT)
              | (1ULL << PtxParser::INT)
              | (1ULL << PtxParser::REG)
              | (1ULL << PtxParser::OPCODE)
              | (1ULL << PtxParser::ID)
              | (1ULL << PtxParser::LBRACE)
              | (1ULL << PtxParser::LPAREN)
              | (1ULL << PtxParser::LBRACK)
              | (1ULL << PtxParser::BANG)
              | (1ULL << PtxParser::PLUS)
              | (1ULL << PtxParser::MINUS)
              | (1ULL << PtxParser::TILDE))) != 0)) {
              setState(559);
              operands();
            }
            setState(562);
            match(PtxParser::RPAREN);
            break;
          }

        default:
          throw NoViableAltException(this);
        }
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BinaryOperatorContext ------------------------------------------------------------------

PtxParser::BinaryOperatorContext::BinaryOperatorContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::BinaryOperatorContext::PLUS() {
  return getToken(PtxParser::PLUS, 0);
}

tree::TerminalNode* PtxParser::BinaryOperatorContext::MINUS() {
  return getToken(PtxParser::MINUS, 0);
}

tree::TerminalNode* PtxParser::BinaryOperatorContext::PIPE() {
  return getToken(PtxParser::PIPE, 0);
}

tree::TerminalNode* PtxParser::BinaryOperatorContext::STAR() {
  return getToken(PtxParser::STAR, 0);
}

tree::TerminalNode* PtxParser::BinaryOperatorContext::LESS() {
  return getToken(PtxParser::LESS, 0);
}

tree::TerminalNode* PtxParser::BinaryOperatorContext::GREATER() {
  return getToken(PtxParser::GREATER, 0);
}

tree::TerminalNode* PtxParser::BinaryOperatorContext::OPERATOR() {
  return getToken(PtxParser::OPERATOR, 0);
}


size_t PtxParser::BinaryOperatorContext::getRuleIndex() const {
  return PtxParser::RuleBinaryOperator;
}


PtxParser::BinaryOperatorContext* PtxParser::binaryOperator() {
  BinaryOperatorContext *_localctx = _tracker.createInstance<BinaryOperatorContext>(_ctx, getState());
  enterRule(_localctx, 54, PtxParser::RuleBinaryOperator);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(567);
    _la = _input->LA(1);
    if (!((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::LESS)
      | (1ULL << PtxParser::GREATER)
      | (1ULL << PtxParser::PLUS)
      | (1ULL << PtxParser::MINUS)
      | (1ULL << PtxParser::PIPE)
      | (1ULL << PtxParser::STAR)
      | (1ULL << PtxParser::OPERATOR))) != 0))) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- UnaryOperatorContext ------------------------------------------------------------------

PtxParser::UnaryOperatorContext::UnaryOperatorContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::UnaryOperatorContext::PLUS() {
  return getToken(PtxParser::PLUS, 0);
}

tree::TerminalNode* PtxParser::UnaryOperatorContext::MINUS() {
  return getToken(PtxParser::MINUS, 0);
}

tree::TerminalNode* PtxParser::UnaryOperatorContext::BANG() {
  return getToken(PtxParser::BANG, 0);
}

tree::TerminalNode* PtxParser::UnaryOperatorContext::TILDE() {
  return getToken(PtxParser::TILDE, 0);
}


size_t PtxParser::UnaryOperatorContext::getRuleIndex() const {
  return PtxParser::RuleUnaryOperator;
}


PtxParser::UnaryOperatorContext* PtxParser::unaryOperator() {
  UnaryOperatorContext *_localctx = _tracker.createInstance<UnaryOperatorContext>(_ctx, getState());
  enterRule(_localctx, 56, PtxParser::RuleUnaryOperator);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(569);
    _la = _input->LA(1);
    if (!((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::BANG)
      | (1ULL << PtxParser::PLUS)
      | (1ULL << PtxParser::MINUS)
      | (1ULL << PtxParser::TILDE))) != 0))) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- NameContext ------------------------------------------------------------------

PtxParser::NameContext::NameContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::NameContext::ID() {
  return getToken(PtxParser::ID, 0);
}

tree::TerminalNode* PtxParser::NameContext::REG() {
  return getToken(PtxParser::REG, 0);
}

tree::TerminalNode* PtxParser::NameContext::OPCODE() {
  return getToken(PtxParser::OPCODE, 0);
}


size_t PtxParser::NameContext::getRuleIndex() const {
  return PtxParser::RuleName;
}


PtxParser::NameContext* PtxParser::name() {
  NameContext *_localctx = _tracker.createInstance<NameContext>(_ctx, getState());
  enterRule(_localctx, 58, PtxParser::RuleName);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(571);
    _la = _input->LA(1);
    if (!((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::REG)
      | (1ULL << PtxParser::OPCODE)
      | (1ULL << PtxParser::ID))) != 0))) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- PragmaContext ------------------------------------------------------------------

PtxParser::PragmaContext::PragmaContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::PragmaContext::PRAGMA() {
  return getToken(PtxParser::PRAGMA, 0);
}

std::vector<tree::TerminalNode *> PtxParser::PragmaContext::STRING() {
  return getTokens(PtxParser::STRING);
}

tree::TerminalNode* PtxParser::PragmaContext::STRING(size_t i) {
  return getToken(PtxParser::STRING, i);
}

tree::TerminalNode* PtxParser::PragmaContext::SEMI() {
  return getToken(PtxParser::SEMI, 0);
}

std::vector<tree::TerminalNode *> PtxParser::PragmaContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::PragmaContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}


size_t PtxParser::PragmaContext::getRuleIndex() const {
  return PtxParser::RulePragma;
}


PtxParser::PragmaContext* PtxParser::pragma() {
  PragmaContext *_localctx = _tracker.createInstance<PragmaContext>(_ctx, getState());
  enterRule(_localctx, 60, PtxParser::RulePragma);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(573);
    match(PtxParser::PRAGMA);
    setState(574);
    match(PtxParser::STRING);
    setState(579);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::COMMA) {
      setState(575);
      match(PtxParser::COMMA);
      setState(576);
      match(PtxParser::STRING);
      setState(581);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(582);
    match(PtxParser::SEMI);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- FileDirectiveContext ------------------------------------------------------------------

PtxParser::FileDirectiveContext::FileDirectiveContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::FileDirectiveContext::FILE() {
  return getToken(PtxParser::FILE, 0);
}

std::vector<tree::TerminalNode *> PtxParser::FileDirectiveContext::INT() {
  return getTokens(PtxParser::INT);
}

tree::TerminalNode* PtxParser::FileDirectiveContext::INT(size_t i) {
  return getToken(PtxParser::INT, i);
}

tree::TerminalNode* PtxParser::FileDirectiveContext::STRING() {
  return getToken(PtxParser::STRING, 0);
}

std::vector<tree::TerminalNode *> PtxParser::FileDirectiveContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::FileDirectiveContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}


size_t PtxParser::FileDirectiveContext::getRuleIndex() const {
  return PtxParser::RuleFileDirective;
}


PtxParser::FileDirectiveContext* PtxParser::fileDirective() {
  FileDirectiveContext *_localctx = _tracker.createInstance<FileDirectiveContext>(_ctx, getState());
  enterRule(_localctx, 62, PtxParser::RuleFileDirective);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(584);
    match(PtxParser::FILE);
    setState(585);
    match(PtxParser::INT);
    setState(586);
    match(PtxParser::STRING);
    setState(591);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == PtxParser::COMMA) {
      setState(587);
      match(PtxParser::COMMA);
      setState(588);
      match(PtxParser::INT);
      setState(589);
      match(PtxParser::COMMA);
      setState(590);
      match(PtxParser::INT);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- LocDirectiveContext ------------------------------------------------------------------

PtxParser::LocDirectiveContext::LocDirectiveContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::LocDirectiveContext::LOC() {
  return getToken(PtxParser::LOC, 0);
}

std::vector<tree::TerminalNode *> PtxParser::LocDirectiveContext::INT() {
  return getTokens(PtxParser::INT);
}

tree::TerminalNode* PtxParser::LocDirectiveContext::INT(size_t i) {
  return getToken(PtxParser::INT, i);
}

std::vector<tree::TerminalNode *> PtxParser::LocDirectiveContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::LocDirectiveContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}

std::vector<PtxParser::NameContext *> PtxParser::LocDirectiveContext::name() {
  return getRuleContexts<PtxParser::NameContext>();
}

PtxParser::NameContext* PtxParser::LocDirectiveContext::name(size_t i) {
  return getRuleContext<PtxParser::NameContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::LocDirectiveContext::PLUS() {
  return getTokens(PtxParser::PLUS);
}

tree::TerminalNode* PtxParser::LocDirectiveContext::PLUS(size_t i) {
  return getToken(PtxParser::PLUS, i);
}

tree::TerminalNode* PtxParser::LocDirectiveContext::LOC_INTERMEDIATE() {
  return getToken(PtxParser::LOC_INTERMEDIATE, 0);
}


size_t PtxParser::LocDirectiveContext::getRuleIndex() const {
  return PtxParser::RuleLocDirective;
}


PtxParser::LocDirectiveContext* PtxParser::locDirective() {
  LocDirectiveContext *_localctx = _tracker.createInstance<LocDirectiveContext>(_ctx, getState());
  enterRule(_localctx, 64, PtxParser::RuleLocDirective);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(618);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::LOC: {
        enterOuterAlt(_localctx, 1);
        setState(593);
        match(PtxParser::LOC);
        setState(594);
        match(PtxParser::INT);
        setState(595);
        match(PtxParser::INT);
        setState(596);
        match(PtxParser::INT);
        setState(611);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while (_la == PtxParser::COMMA) {
          setState(597);
          match(PtxParser::COMMA);
          setState(598);
          name();
          setState(607);
          _errHandler->sync(this);
          switch (_input->LA(1)) {
            case PtxParser::REG:
            case PtxParser::OPCODE:
            case PtxParser::ID: {
              setState(599);
              name();
              setState(602);
              _errHandler->sync(this);

              _la = _input->LA(1);
              if (_la == PtxParser::PLUS) {
                setState(600);
                match(PtxParser::PLUS);
                setState(601);
                match(PtxParser::INT);
              }
              break;
            }

            case PtxParser::INT: {
              setState(604);
              match(PtxParser::INT);
              setState(605);
              match(PtxParser::INT);
              setState(606);
              match(PtxParser::INT);
              break;
            }

          default:
            throw NoViableAltException(this);
          }
          setState(613);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::LOC_INTERMEDIATE: {
        enterOuterAlt(_localctx, 2);
        setState(614);
        match(PtxParser::LOC_INTERMEDIATE);
        setState(615);
        match(PtxParser::INT);
        setState(616);
        match(PtxParser::INT);
        setState(617);
        match(PtxParser::INT);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- SectionContext ------------------------------------------------------------------

PtxParser::SectionContext::SectionContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::SectionContext::SECTION() {
  return getToken(PtxParser::SECTION, 0);
}

tree::TerminalNode* PtxParser::SectionContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

tree::TerminalNode* PtxParser::SectionContext::LBRACE() {
  return getToken(PtxParser::LBRACE, 0);
}

tree::TerminalNode* PtxParser::SectionContext::RBRACE() {
  return getToken(PtxParser::RBRACE, 0);
}

std::vector<PtxParser::SectionItemContext *> PtxParser::SectionContext::sectionItem() {
  return getRuleContexts<PtxParser::SectionItemContext>();
}

PtxParser::SectionItemContext* PtxParser::SectionContext::sectionItem(size_t i) {
  return getRuleContext<PtxParser::SectionItemContext>(i);
}


size_t PtxParser::SectionContext::getRuleIndex() const {
  return PtxParser::RuleSection;
}


PtxParser::SectionContext* PtxParser::section() {
  SectionContext *_localctx = _tracker.createInstance<SectionContext>(_ctx, getState());
  enterRule(_localctx, 66, PtxParser::RuleSection);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(620);
    match(PtxParser::SECTION);
    setState(621);
    match(PtxParser::DOTWORD);
    setState(622);
    match(PtxParser::LBRACE);
    setState(626);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << PtxParser::DOTWORD)
      | (1ULL << PtxParser::REG)
      | (1ULL << PtxParser::OPCODE)
      | (1ULL << PtxParser::ID))) != 0)) {
      setState(623);
      sectionItem();
      setState(628);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(629);
    match(PtxParser::RBRACE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- SectionItemContext ------------------------------------------------------------------

PtxParser::SectionItemContext::SectionItemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::SectionItemContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

std::vector<PtxParser::SectionValueContext *> PtxParser::SectionItemContext::sectionValue() {
  return getRuleContexts<PtxParser::SectionValueContext>();
}

PtxParser::SectionValueContext* PtxParser::SectionItemContext::sectionValue(size_t i) {
  return getRuleContext<PtxParser::SectionValueContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::SectionItemContext::COMMA() {
  return getTokens(PtxParser::COMMA);
}

tree::TerminalNode* PtxParser::SectionItemContext::COMMA(size_t i) {
  return getToken(PtxParser::COMMA, i);
}

PtxParser::NameContext* PtxParser::SectionItemContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

tree::TerminalNode* PtxParser::SectionItemContext::COLON() {
  return getToken(PtxParser::COLON, 0);
}


size_t PtxParser::SectionItemContext::getRuleIndex() const {
  return PtxParser::RuleSectionItem;
}


PtxParser::SectionItemContext* PtxParser::sectionItem() {
  SectionItemContext *_localctx = _tracker.createInstance<SectionItemContext>(_ctx, getState());
  enterRule(_localctx, 68, PtxParser::RuleSectionItem);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(643);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::DOTWORD: {
        enterOuterAlt(_localctx, 1);
        setState(631);
        match(PtxParser::DOTWORD);
        setState(632);
        sectionValue();
        setState(637);
        _errHandler->sync(this);
        _la = _input->LA(1);
        while (_la == PtxParser::COMMA) {
          setState(633);
          match(PtxParser::COMMA);
          setState(634);
          sectionValue();
          setState(639);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
        break;
      }

      case PtxParser::REG:
      case PtxParser::OPCODE:
      case PtxParser::ID: {
        enterOuterAlt(_localctx, 2);
        setState(640);
        name();
        setState(641);
        match(PtxParser::COLON);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- SectionValueContext ------------------------------------------------------------------

PtxParser::SectionValueContext::SectionValueContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<PtxParser::SectionTermContext *> PtxParser::SectionValueContext::sectionTerm() {
  return getRuleContexts<PtxParser::SectionTermContext>();
}

PtxParser::SectionTermContext* PtxParser::SectionValueContext::sectionTerm(size_t i) {
  return getRuleContext<PtxParser::SectionTermContext>(i);
}

std::vector<tree::TerminalNode *> PtxParser::SectionValueContext::PLUS() {
  return getTokens(PtxParser::PLUS);
}

tree::TerminalNode* PtxParser::SectionValueContext::PLUS(size_t i) {
  return getToken(PtxParser::PLUS, i);
}

std::vector<tree::TerminalNode *> PtxParser::SectionValueContext::MINUS() {
  return getTokens(PtxParser::MINUS);
}

tree::TerminalNode* PtxParser::SectionValueContext::MINUS(size_t i) {
  return getToken(PtxParser::MINUS, i);
}


size_t PtxParser::SectionValueContext::getRuleIndex() const {
  return PtxParser::RuleSectionValue;
}


PtxParser::SectionValueContext* PtxParser::sectionValue() {
  SectionValueContext *_localctx = _tracker.createInstance<SectionValueContext>(_ctx, getState());
  enterRule(_localctx, 70, PtxParser::RuleSectionValue);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(645);
    sectionTerm();
    setState(650);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::PLUS

    || _la == PtxParser::MINUS) {
      setState(646);
      _la = _input->LA(1);
      if (!(_la == PtxParser::PLUS

      || _la == PtxParser::MINUS)) {
      _errHandler->recoverInline(this);
      }
      else {
        _errHandler->reportMatch(this);
        consume();
      }
      setState(647);
      sectionTerm();
      setState(652);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- SectionTermContext ------------------------------------------------------------------

PtxParser::SectionTermContext::SectionTermContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::SectionTermContext::INT() {
  return getToken(PtxParser::INT, 0);
}

tree::TerminalNode* PtxParser::SectionTermContext::MINUS() {
  return getToken(PtxParser::MINUS, 0);
}

tree::TerminalNode* PtxParser::SectionTermContext::FLOAT() {
  return getToken(PtxParser::FLOAT, 0);
}

tree::TerminalNode* PtxParser::SectionTermContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

PtxParser::NameContext* PtxParser::SectionTermContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}


size_t PtxParser::SectionTermContext::getRuleIndex() const {
  return PtxParser::RuleSectionTerm;
}


PtxParser::SectionTermContext* PtxParser::sectionTerm() {
  SectionTermContext *_localctx = _tracker.createInstance<SectionTermContext>(_ctx, getState());
  enterRule(_localctx, 72, PtxParser::RuleSectionTerm);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(660);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::INT:
      case PtxParser::MINUS: {
        enterOuterAlt(_localctx, 1);
        setState(654);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == PtxParser::MINUS) {
          setState(653);
          match(PtxParser::MINUS);
        }
        setState(656);
        match(PtxParser::INT);
        break;
      }

      case PtxParser::FLOAT: {
        enterOuterAlt(_localctx, 2);
        setState(657);
        match(PtxParser::FLOAT);
        break;
      }

      case PtxParser::DOTWORD: {
        enterOuterAlt(_localctx, 3);
        setState(658);
        match(PtxParser::DOTWORD);
        break;
      }

      case PtxParser::REG:
      case PtxParser::OPCODE:
      case PtxParser::ID: {
        enterOuterAlt(_localctx, 4);
        setState(659);
        name();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- SourceSectionContext ------------------------------------------------------------------

PtxParser::SourceSectionContext::SourceSectionContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::SourceSectionContext::SOURCE_SECTION() {
  return getToken(PtxParser::SOURCE_SECTION, 0);
}

tree::TerminalNode* PtxParser::SourceSectionContext::LBRACE() {
  return getToken(PtxParser::LBRACE, 0);
}

tree::TerminalNode* PtxParser::SourceSectionContext::RBRACE() {
  return getToken(PtxParser::RBRACE, 0);
}

std::vector<PtxParser::CodeBlockContext *> PtxParser::SourceSectionContext::codeBlock() {
  return getRuleContexts<PtxParser::CodeBlockContext>();
}

PtxParser::CodeBlockContext* PtxParser::SourceSectionContext::codeBlock(size_t i) {
  return getRuleContext<PtxParser::CodeBlockContext>(i);
}


size_t PtxParser::SourceSectionContext::getRuleIndex() const {
  return PtxParser::RuleSourceSection;
}


PtxParser::SourceSectionContext* PtxParser::sourceSection() {
  SourceSectionContext *_localctx = _tracker.createInstance<SourceSectionContext>(_ctx, getState());
  enterRule(_localctx, 74, PtxParser::RuleSourceSection);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(662);
    match(PtxParser::SOURCE_SECTION);
    setState(663);
    match(PtxParser::LBRACE);
    setState(667);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::DOTWORD) {
      setState(664);
      codeBlock();
      setState(669);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(670);
    match(PtxParser::RBRACE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- CodeBlockContext ------------------------------------------------------------------

PtxParser::CodeBlockContext::CodeBlockContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::CodeBlockContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

tree::TerminalNode* PtxParser::CodeBlockContext::LBRACE() {
  return getToken(PtxParser::LBRACE, 0);
}

tree::TerminalNode* PtxParser::CodeBlockContext::RBRACE() {
  return getToken(PtxParser::RBRACE, 0);
}

std::vector<PtxParser::CodeItemContext *> PtxParser::CodeBlockContext::codeItem() {
  return getRuleContexts<PtxParser::CodeItemContext>();
}

PtxParser::CodeItemContext* PtxParser::CodeBlockContext::codeItem(size_t i) {
  return getRuleContext<PtxParser::CodeItemContext>(i);
}


size_t PtxParser::CodeBlockContext::getRuleIndex() const {
  return PtxParser::RuleCodeBlock;
}


PtxParser::CodeBlockContext* PtxParser::codeBlock() {
  CodeBlockContext *_localctx = _tracker.createInstance<CodeBlockContext>(_ctx, getState());
  enterRule(_localctx, 76, PtxParser::RuleCodeBlock);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(672);
    match(PtxParser::DOTWORD);
    setState(673);
    match(PtxParser::LBRACE);
    setState(677);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == PtxParser::SOURCE_TEXT

    || _la == PtxParser::DOTWORD) {
      setState(674);
      codeItem();
      setState(679);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(680);
    match(PtxParser::RBRACE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- CodeItemContext ------------------------------------------------------------------

PtxParser::CodeItemContext::CodeItemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::CodeItemContext::DOTWORD() {
  return getToken(PtxParser::DOTWORD, 0);
}

tree::TerminalNode* PtxParser::CodeItemContext::COLON() {
  return getToken(PtxParser::COLON, 0);
}

tree::TerminalNode* PtxParser::CodeItemContext::STRING() {
  return getToken(PtxParser::STRING, 0);
}

tree::TerminalNode* PtxParser::CodeItemContext::INT() {
  return getToken(PtxParser::INT, 0);
}

PtxParser::NameContext* PtxParser::CodeItemContext::name() {
  return getRuleContext<PtxParser::NameContext>(0);
}

tree::TerminalNode* PtxParser::CodeItemContext::SOURCE_TEXT() {
  return getToken(PtxParser::SOURCE_TEXT, 0);
}


size_t PtxParser::CodeItemContext::getRuleIndex() const {
  return PtxParser::RuleCodeItem;
}


PtxParser::CodeItemContext* PtxParser::codeItem() {
  CodeItemContext *_localctx = _tracker.createInstance<CodeItemContext>(_ctx, getState());
  enterRule(_localctx, 78, PtxParser::RuleCodeItem);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(690);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case PtxParser::DOTWORD: {
        enterOuterAlt(_localctx, 1);
        setState(682);
        match(PtxParser::DOTWORD);
        setState(683);
        match(PtxParser::COLON);
        setState(687);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case PtxParser::STRING: {
            setState(684);
            match(PtxParser::STRING);
            break;
          }

          case PtxParser::INT: {
            setState(685);
            match(PtxParser::INT);
            break;
          }

          case PtxParser::REG:
          case PtxParser::OPCODE:
          case PtxParser::ID: {
            setState(686);
            name();
            break;
          }

        default:
          throw NoViableAltException(this);
        }
        break;
      }

      case PtxParser::SOURCE_TEXT: {
        enterOuterAlt(_localctx, 2);
        setState(689);
        match(PtxParser::SOURCE_TEXT);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- UnknownDirectiveContext ------------------------------------------------------------------

PtxParser::UnknownDirectiveContext::UnknownDirectiveContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* PtxParser::UnknownDirectiveContext::OPAQUE() {
  return getToken(PtxParser::OPAQUE, 0);
}

tree::TerminalNode* PtxParser::UnknownDirectiveContext::DWARF() {
  return getToken(PtxParser::DWARF, 0);
}


size_t PtxParser::UnknownDirectiveContext::getRuleIndex() const {
  return PtxParser::RuleUnknownDirective;
}


PtxParser::UnknownDirectiveContext* PtxParser::unknownDirective() {
  UnknownDirectiveContext *_localctx = _tracker.createInstance<UnknownDirectiveContext>(_ctx, getState());
  enterRule(_localctx, 80, PtxParser::RuleUnknownDirective);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(692);
    _la = _input->LA(1);
    if (!(_la == PtxParser::OPAQUE

    || _la == PtxParser::DWARF)) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

// Static vars and initialization.
std::vector<dfa::DFA> PtxParser::_decisionToDFA;
atn::PredictionContextCache PtxParser::_sharedContextCache;

// We own the ATN which in turn owns the ATN states.
atn::ATN PtxParser::_atn;
std::vector<uint16_t> PtxParser::_serializedATN;

std::vector<std::string> PtxParser::_ruleNames = {
  "ptxModule", "moduleItem", "between", "entry", "function", "params", "param", 
  "functionAttribute", "attributeValue", "variable", "qualifier", "attribute", 
  "attributeItem", "declarator", "dimension", "initializer", "block", "statement", 
  "guard", "modifier", "target", "operands", "operand", "address", "vector", 
  "expression", "term", "binaryOperator", "unaryOperator", "name", "pragma", 
  "fileDirective", "locDirective", "section", "sectionItem", "sectionValue", 
  "sectionTerm", "sourceSection", "codeBlock", "codeItem", "unknownDirective"
};

std::vector<std::string> PtxParser::_literalNames = {
  "", "", "'.version'", "'.target'", "'.address_size'", "", "'.entry'", 
  "'.func'", "'.alias'", "'.pragma'", "'.branchtargets'", "'.calltargets'", 
  "'.callprototype'", "'.file'", "'.loc'", "'.loc_intermediate'", "'.section'", 
  "'.nv_intermediate_source_section'", "", "'.source_begin'", "", "", "'.align'", 
  "'.attribute'", "", "", "", "", "", "", "", "'{'", "'}'", "'('", "')'", 
  "'['", "']'", "'<'", "'>'", "';'", "','", "':'", "'@'", "'='", "'!'", 
  "'+'", "'-'", "'|'", "'~'", "'*'", "'?'"
};

std::vector<std::string> PtxParser::_symbolicNames = {
  "", "OPAQUE", "VERSION", "TARGET", "ADDRESS_SIZE", "LINKAGE", "ENTRY", 
  "FUNC", "ALIAS", "PRAGMA", "BRANCHTARGETS", "CALLTARGETS", "CALLPROTOTYPE", 
  "FILE", "LOC", "LOC_INTERMEDIATE", "SECTION", "SOURCE_SECTION", "SOURCE_TEXT", 
  "SOURCE_BEGIN", "DWARF", "SPACE", "ALIGN", "ATTRIBUTE", "FLOAT", "INT", 
  "STRING", "DOTWORD", "REG", "OPCODE", "ID", "LBRACE", "RBRACE", "LPAREN", 
  "RPAREN", "LBRACK", "RBRACK", "LESS", "GREATER", "SEMI", "COMMA", "COLON", 
  "AT", "ASSIGN", "BANG", "PLUS", "MINUS", "PIPE", "TILDE", "STAR", "QUESTION", 
  "OPERATOR", "WHITESPACE", "LINE_COMMENT", "BLOCK_COMMENT", "LINE_MARKER"
};

dfa::Vocabulary PtxParser::_vocabulary(_literalNames, _symbolicNames);

std::vector<std::string> PtxParser::_tokenNames;

PtxParser::Initializer::Initializer() {
	for (size_t i = 0; i < _symbolicNames.size(); ++i) {
		std::string name = _vocabulary.getLiteralName(i);
		if (name.empty()) {
			name = _vocabulary.getSymbolicName(i);
		}

		if (name.empty()) {
			_tokenNames.push_back("<INVALID>");
		} else {
      _tokenNames.push_back(name);
    }
	}

  _serializedATN = {
    0x3, 0x608b, 0xa72a, 0x8133, 0xb9ed, 0x417c, 0x3be7, 0x7786, 0x5964, 
    0x3, 0x39, 0x2b9, 0x4, 0x2, 0x9, 0x2, 0x4, 0x3, 0x9, 0x3, 0x4, 0x4, 
    0x9, 0x4, 0x4, 0x5, 0x9, 0x5, 0x4, 0x6, 0x9, 0x6, 0x4, 0x7, 0x9, 0x7, 
    0x4, 0x8, 0x9, 0x8, 0x4, 0x9, 0x9, 0x9, 0x4, 0xa, 0x9, 0xa, 0x4, 0xb, 
    0x9, 0xb, 0x4, 0xc, 0x9, 0xc, 0x4, 0xd, 0x9, 0xd, 0x4, 0xe, 0x9, 0xe, 
    0x4, 0xf, 0x9, 0xf, 0x4, 0x10, 0x9, 0x10, 0x4, 0x11, 0x9, 0x11, 0x4, 
    0x12, 0x9, 0x12, 0x4, 0x13, 0x9, 0x13, 0x4, 0x14, 0x9, 0x14, 0x4, 0x15, 
    0x9, 0x15, 0x4, 0x16, 0x9, 0x16, 0x4, 0x17, 0x9, 0x17, 0x4, 0x18, 0x9, 
    0x18, 0x4, 0x19, 0x9, 0x19, 0x4, 0x1a, 0x9, 0x1a, 0x4, 0x1b, 0x9, 0x1b, 
    0x4, 0x1c, 0x9, 0x1c, 0x4, 0x1d, 0x9, 0x1d, 0x4, 0x1e, 0x9, 0x1e, 0x4, 
    0x1f, 0x9, 0x1f, 0x4, 0x20, 0x9, 0x20, 0x4, 0x21, 0x9, 0x21, 0x4, 0x22, 
    0x9, 0x22, 0x4, 0x23, 0x9, 0x23, 0x4, 0x24, 0x9, 0x24, 0x4, 0x25, 0x9, 
    0x25, 0x4, 0x26, 0x9, 0x26, 0x4, 0x27, 0x9, 0x27, 0x4, 0x28, 0x9, 0x28, 
    0x4, 0x29, 0x9, 0x29, 0x4, 0x2a, 0x9, 0x2a, 0x3, 0x2, 0x7, 0x2, 0x56, 
    0xa, 0x2, 0xc, 0x2, 0xe, 0x2, 0x59, 0xb, 0x2, 0x3, 0x2, 0x7, 0x2, 0x5c, 
    0xa, 0x2, 0xc, 0x2, 0xe, 0x2, 0x5f, 0xb, 0x2, 0x3, 0x2, 0x3, 0x2, 0x3, 
    0x3, 0x3, 0x3, 0x3, 0x3, 0x7, 0x3, 0x66, 0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 
    0x69, 0xb, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x7, 0x3, 0x6f, 
    0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 0x72, 0xb, 0x3, 0x3, 0x3, 0x7, 0x3, 0x75, 
    0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 0x78, 0xb, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 
    0x3, 0x7, 0x3, 0x7d, 0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 0x80, 0xb, 0x3, 0x3, 
    0x3, 0x7, 0x3, 0x83, 0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 0x86, 0xb, 0x3, 0x3, 
    0x3, 0x3, 0x3, 0x7, 0x3, 0x8a, 0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 0x8d, 0xb, 
    0x3, 0x3, 0x3, 0x3, 0x3, 0x7, 0x3, 0x91, 0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 
    0x94, 0xb, 0x3, 0x3, 0x3, 0x5, 0x3, 0x97, 0xa, 0x3, 0x3, 0x3, 0x3, 0x3, 
    0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x7, 0x3, 0x9f, 0xa, 0x3, 0xc, 
    0x3, 0xe, 0x3, 0xa2, 0xb, 0x3, 0x3, 0x3, 0x3, 0x3, 0x7, 0x3, 0xa6, 0xa, 
    0x3, 0xc, 0x3, 0xe, 0x3, 0xa9, 0xb, 0x3, 0x3, 0x3, 0x3, 0x3, 0x7, 0x3, 
    0xad, 0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 0xb0, 0xb, 0x3, 0x3, 0x3, 0x3, 0x3, 
    0x7, 0x3, 0xb4, 0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 0xb7, 0xb, 0x3, 0x3, 0x3, 
    0x3, 0x3, 0x7, 0x3, 0xbb, 0xa, 0x3, 0xc, 0x3, 0xe, 0x3, 0xbe, 0xb, 0x3, 
    0x5, 0x3, 0xc0, 0xa, 0x3, 0x3, 0x4, 0x3, 0x4, 0x5, 0x4, 0xc4, 0xa, 0x4, 
    0x3, 0x5, 0x3, 0x5, 0x3, 0x5, 0x5, 0x5, 0xc9, 0xa, 0x5, 0x3, 0x5, 0x7, 
    0x5, 0xcc, 0xa, 0x5, 0xc, 0x5, 0xe, 0x5, 0xcf, 0xb, 0x5, 0x3, 0x5, 0x3, 
    0x5, 0x5, 0x5, 0xd3, 0xa, 0x5, 0x3, 0x6, 0x3, 0x6, 0x7, 0x6, 0xd7, 0xa, 
    0x6, 0xc, 0x6, 0xe, 0x6, 0xda, 0xb, 0x6, 0x3, 0x6, 0x5, 0x6, 0xdd, 0xa, 
    0x6, 0x3, 0x6, 0x3, 0x6, 0x5, 0x6, 0xe1, 0xa, 0x6, 0x3, 0x6, 0x7, 0x6, 
    0xe4, 0xa, 0x6, 0xc, 0x6, 0xe, 0x6, 0xe7, 0xb, 0x6, 0x3, 0x6, 0x3, 0x6, 
    0x5, 0x6, 0xeb, 0xa, 0x6, 0x3, 0x6, 0x7, 0x6, 0xee, 0xa, 0x6, 0xc, 0x6, 
    0xe, 0x6, 0xf1, 0xb, 0x6, 0x5, 0x6, 0xf3, 0xa, 0x6, 0x3, 0x7, 0x3, 0x7, 
    0x3, 0x7, 0x3, 0x7, 0x7, 0x7, 0xf9, 0xa, 0x7, 0xc, 0x7, 0xe, 0x7, 0xfc, 
    0xb, 0x7, 0x5, 0x7, 0xfe, 0xa, 0x7, 0x3, 0x7, 0x3, 0x7, 0x3, 0x8, 0x6, 
    0x8, 0x103, 0xa, 0x8, 0xd, 0x8, 0xe, 0x8, 0x104, 0x3, 0x8, 0x3, 0x8, 
    0x7, 0x8, 0x109, 0xa, 0x8, 0xc, 0x8, 0xe, 0x8, 0x10c, 0xb, 0x8, 0x3, 
    0x9, 0x3, 0x9, 0x3, 0x9, 0x3, 0x9, 0x7, 0x9, 0x112, 0xa, 0x9, 0xc, 0x9, 
    0xe, 0x9, 0x115, 0xb, 0x9, 0x5, 0x9, 0x117, 0xa, 0x9, 0x3, 0x9, 0x3, 
    0x9, 0x3, 0x9, 0x5, 0x9, 0x11c, 0xa, 0x9, 0x3, 0xa, 0x3, 0xa, 0x3, 0xa, 
    0x5, 0xa, 0x121, 0xa, 0xa, 0x3, 0xb, 0x3, 0xb, 0x7, 0xb, 0x125, 0xa, 
    0xb, 0xc, 0xb, 0xe, 0xb, 0x128, 0xb, 0xb, 0x3, 0xb, 0x3, 0xb, 0x3, 0xb, 
    0x7, 0xb, 0x12d, 0xa, 0xb, 0xc, 0xb, 0xe, 0xb, 0x130, 0xb, 0xb, 0x3, 
    0xb, 0x3, 0xb, 0x3, 0xc, 0x3, 0xc, 0x3, 0xc, 0x3, 0xc, 0x3, 0xc, 0x5, 
    0xc, 0x139, 0xa, 0xc, 0x3, 0xd, 0x3, 0xd, 0x3, 0xd, 0x3, 0xd, 0x3, 0xd, 
    0x7, 0xd, 0x140, 0xa, 0xd, 0xc, 0xd, 0xe, 0xd, 0x143, 0xb, 0xd, 0x3, 
    0xd, 0x3, 0xd, 0x3, 0xe, 0x3, 0xe, 0x3, 0xe, 0x3, 0xe, 0x3, 0xe, 0x7, 
    0xe, 0x14c, 0xa, 0xe, 0xc, 0xe, 0xe, 0xe, 0x14f, 0xb, 0xe, 0x3, 0xe, 
    0x3, 0xe, 0x5, 0xe, 0x153, 0xa, 0xe, 0x3, 0xf, 0x3, 0xf, 0x3, 0xf, 0x3, 
    0xf, 0x5, 0xf, 0x159, 0xa, 0xf, 0x3, 0xf, 0x7, 0xf, 0x15c, 0xa, 0xf, 
    0xc, 0xf, 0xe, 0xf, 0x15f, 0xb, 0xf, 0x3, 0xf, 0x3, 0xf, 0x5, 0xf, 0x163, 
    0xa, 0xf, 0x3, 0x10, 0x3, 0x10, 0x5, 0x10, 0x167, 0xa, 0x10, 0x3, 0x10, 
    0x3, 0x10, 0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x7, 0x11, 0x16f, 
    0xa, 0x11, 0xc, 0x11, 0xe, 0x11, 0x172, 0xb, 0x11, 0x5, 0x11, 0x174, 
    0xa, 0x11, 0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x5, 0x11, 0x17a, 
    0xa, 0x11, 0x5, 0x11, 0x17c, 0xa, 0x11, 0x3, 0x12, 0x3, 0x12, 0x7, 0x12, 
    0x180, 0xa, 0x12, 0xc, 0x12, 0xe, 0x12, 0x183, 0xb, 0x12, 0x3, 0x12, 
    0x3, 0x12, 0x3, 0x13, 0x3, 0x13, 0x7, 0x13, 0x189, 0xa, 0x13, 0xc, 0x13, 
    0xe, 0x13, 0x18c, 0xb, 0x13, 0x3, 0x13, 0x5, 0x13, 0x18f, 0xa, 0x13, 
    0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x7, 0x13, 0x195, 0xa, 0x13, 
    0xc, 0x13, 0xe, 0x13, 0x198, 0xb, 0x13, 0x3, 0x13, 0x5, 0x13, 0x19b, 
    0xa, 0x13, 0x3, 0x13, 0x5, 0x13, 0x19e, 0xa, 0x13, 0x3, 0x13, 0x3, 0x13, 
    0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x7, 0x13, 0x1a5, 0xa, 0x13, 0xc, 0x13, 
    0xe, 0x13, 0x1a8, 0xb, 0x13, 0x3, 0x13, 0x5, 0x13, 0x1ab, 0xa, 0x13, 
    0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 
    0x13, 0x3, 0x13, 0x7, 0x13, 0x1b5, 0xa, 0x13, 0xc, 0x13, 0xe, 0x13, 
    0x1b8, 0xb, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 
    0x3, 0x13, 0x7, 0x13, 0x1c0, 0xa, 0x13, 0xc, 0x13, 0xe, 0x13, 0x1c3, 
    0xb, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x5, 0x13, 0x1c9, 
    0xa, 0x13, 0x3, 0x13, 0x3, 0x13, 0x5, 0x13, 0x1cd, 0xa, 0x13, 0x3, 0x13, 
    0x7, 0x13, 0x1d0, 0xa, 0x13, 0xc, 0x13, 0xe, 0x13, 0x1d3, 0xb, 0x13, 
    0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 
    0x13, 0x5, 0x13, 0x1dc, 0xa, 0x13, 0x3, 0x14, 0x3, 0x14, 0x5, 0x14, 
    0x1e0, 0xa, 0x14, 0x3, 0x14, 0x3, 0x14, 0x3, 0x15, 0x3, 0x15, 0x3, 0x16, 
    0x3, 0x16, 0x3, 0x16, 0x3, 0x16, 0x5, 0x16, 0x1ea, 0xa, 0x16, 0x3, 0x17, 
    0x3, 0x17, 0x3, 0x17, 0x7, 0x17, 0x1ef, 0xa, 0x17, 0xc, 0x17, 0xe, 0x17, 
    0x1f2, 0xb, 0x17, 0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x5, 0x18, 
    0x1f8, 0xa, 0x18, 0x3, 0x18, 0x5, 0x18, 0x1fb, 0xa, 0x18, 0x3, 0x19, 
    0x3, 0x19, 0x3, 0x19, 0x3, 0x19, 0x3, 0x1a, 0x3, 0x1a, 0x5, 0x1a, 0x203, 
    0xa, 0x1a, 0x3, 0x1a, 0x3, 0x1a, 0x3, 0x1b, 0x3, 0x1b, 0x3, 0x1b, 0x3, 
    0x1b, 0x3, 0x1b, 0x3, 0x1b, 0x3, 0x1b, 0x3, 0x1b, 0x3, 0x1b, 0x7, 0x1b, 
    0x210, 0xa, 0x1b, 0xc, 0x1b, 0xe, 0x1b, 0x213, 0xb, 0x1b, 0x3, 0x1c, 
    0x7, 0x1c, 0x216, 0xa, 0x1c, 0xc, 0x1c, 0xe, 0x1c, 0x219, 0xb, 0x1c, 
    0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x3, 
    0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x5, 0x1c, 0x224, 0xa, 0x1c, 0x3, 0x1c, 
    0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x5, 0x1c, 0x22b, 0xa, 0x1c, 
    0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1c, 0x5, 
    0x1c, 0x233, 0xa, 0x1c, 0x3, 0x1c, 0x5, 0x1c, 0x236, 0xa, 0x1c, 0x5, 
    0x1c, 0x238, 0xa, 0x1c, 0x3, 0x1d, 0x3, 0x1d, 0x3, 0x1e, 0x3, 0x1e, 
    0x3, 0x1f, 0x3, 0x1f, 0x3, 0x20, 0x3, 0x20, 0x3, 0x20, 0x3, 0x20, 0x7, 
    0x20, 0x244, 0xa, 0x20, 0xc, 0x20, 0xe, 0x20, 0x247, 0xb, 0x20, 0x3, 
    0x20, 0x3, 0x20, 0x3, 0x21, 0x3, 0x21, 0x3, 0x21, 0x3, 0x21, 0x3, 0x21, 
    0x3, 0x21, 0x3, 0x21, 0x5, 0x21, 0x252, 0xa, 0x21, 0x3, 0x22, 0x3, 0x22, 
    0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 
    0x22, 0x5, 0x22, 0x25d, 0xa, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 
    0x5, 0x22, 0x262, 0xa, 0x22, 0x7, 0x22, 0x264, 0xa, 0x22, 0xc, 0x22, 
    0xe, 0x22, 0x267, 0xb, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 
    0x5, 0x22, 0x26d, 0xa, 0x22, 0x3, 0x23, 0x3, 0x23, 0x3, 0x23, 0x3, 0x23, 
    0x7, 0x23, 0x273, 0xa, 0x23, 0xc, 0x23, 0xe, 0x23, 0x276, 0xb, 0x23, 
    0x3, 0x23, 0x3, 0x23, 0x3, 0x24, 0x3, 0x24, 0x3, 0x24, 0x3, 0x24, 0x7, 
    0x24, 0x27e, 0xa, 0x24, 0xc, 0x24, 0xe, 0x24, 0x281, 0xb, 0x24, 0x3, 
    0x24, 0x3, 0x24, 0x3, 0x24, 0x5, 0x24, 0x286, 0xa, 0x24, 0x3, 0x25, 
    0x3, 0x25, 0x3, 0x25, 0x7, 0x25, 0x28b, 0xa, 0x25, 0xc, 0x25, 0xe, 0x25, 
    0x28e, 0xb, 0x25, 0x3, 0x26, 0x5, 0x26, 0x291, 0xa, 0x26, 0x3, 0x26, 
    0x3, 0x26, 0x3, 0x26, 0x3, 0x26, 0x5, 0x26, 0x297, 0xa, 0x26, 0x3, 0x27, 
    0x3, 0x27, 0x3, 0x27, 0x7, 0x27, 0x29c, 0xa, 0x27, 0xc, 0x27, 0xe, 0x27, 
    0x29f, 0xb, 0x27, 0x3, 0x27, 0x3, 0x27, 0x3, 0x28, 0x3, 0x28, 0x3, 0x28, 
    0x7, 0x28, 0x2a6, 0xa, 0x28, 0xc, 0x28, 0xe, 0x28, 0x2a9, 0xb, 0x28, 
    0x3, 0x28, 0x3, 0x28, 0x3, 0x29, 0x3, 0x29, 0x3, 0x29, 0x3, 0x29, 0x3, 
    0x29, 0x5, 0x29, 0x2b2, 0xa, 0x29, 0x3, 0x29, 0x5, 0x29, 0x2b5, 0xa, 
    0x29, 0x3, 0x2a, 0x3, 0x2a, 0x3, 0x2a, 0x2, 0x2, 0x2b, 0x2, 0x4, 0x6, 
    0x8, 0xa, 0xc, 0xe, 0x10, 0x12, 0x14, 0x16, 0x18, 0x1a, 0x1c, 0x1e, 
    0x20, 0x22, 0x24, 0x26, 0x28, 0x2a, 0x2c, 0x2e, 0x30, 0x32, 0x34, 0x36, 
    0x38, 0x3a, 0x3c, 0x3e, 0x40, 0x42, 0x44, 0x46, 0x48, 0x4a, 0x4c, 0x4e, 
    0x50, 0x52, 0x2, 0x9, 0x3, 0x2, 0x1f, 0x20, 0x6, 0x2, 0x7, 0x7, 0xa, 
    0xa, 0x17, 0x17, 0x1d, 0x1d, 0x3, 0x2, 0x1e, 0x20, 0x6, 0x2, 0x27, 0x28, 
    0x2f, 0x31, 0x33, 0x33, 0x35, 0x35, 0x4, 0x2, 0x2e, 0x30, 0x32, 0x32, 
    0x3, 0x2, 0x2f, 0x30, 0x4, 0x2, 0x3, 0x3, 0x16, 0x16, 0x2, 0x30c, 0x2, 
    0x57, 0x3, 0x2, 0x2, 0x2, 0x4, 0xbf, 0x3, 0x2, 0x2, 0x2, 0x6, 0xc3, 
    0x3, 0x2, 0x2, 0x2, 0x8, 0xc5, 0x3, 0x2, 0x2, 0x2, 0xa, 0xd4, 0x3, 0x2, 
    0x2, 0x2, 0xc, 0xf4, 0x3, 0x2, 0x2, 0x2, 0xe, 0x102, 0x3, 0x2, 0x2, 
    0x2, 0x10, 0x11b, 0x3, 0x2, 0x2, 0x2, 0x12, 0x120, 0x3, 0x2, 0x2, 0x2, 
    0x14, 0x122, 0x3, 0x2, 0x2, 0x2, 0x16, 0x138, 0x3, 0x2, 0x2, 0x2, 0x18, 
    0x13a, 0x3, 0x2, 0x2, 0x2, 0x1a, 0x146, 0x3, 0x2, 0x2, 0x2, 0x1c, 0x154, 
    0x3, 0x2, 0x2, 0x2, 0x1e, 0x164, 0x3, 0x2, 0x2, 0x2, 0x20, 0x17b, 0x3, 
    0x2, 0x2, 0x2, 0x22, 0x17d, 0x3, 0x2, 0x2, 0x2, 0x24, 0x1db, 0x3, 0x2, 
    0x2, 0x2, 0x26, 0x1dd, 0x3, 0x2, 0x2, 0x2, 0x28, 0x1e3, 0x3, 0x2, 0x2, 
    0x2, 0x2a, 0x1e5, 0x3, 0x2, 0x2, 0x2, 0x2c, 0x1eb, 0x3, 0x2, 0x2, 0x2, 
    0x2e, 0x1fa, 0x3, 0x2, 0x2, 0x2, 0x30, 0x1fc, 0x3, 0x2, 0x2, 0x2, 0x32, 
    0x200, 0x3, 0x2, 0x2, 0x2, 0x34, 0x206, 0x3, 0x2, 0x2, 0x2, 0x36, 0x217, 
    0x3, 0x2, 0x2, 0x2, 0x38, 0x239, 0x3, 0x2, 0x2, 0x2, 0x3a, 0x23b, 0x3, 
    0x2, 0x2, 0x2, 0x3c, 0x23d, 0x3, 0x2, 0x2, 0x2, 0x3e, 0x23f, 0x3, 0x2, 
    0x2, 0x2, 0x40, 0x24a, 0x3, 0x2, 0x2, 0x2, 0x42, 0x26c, 0x3, 0x2, 0x2, 
    0x2, 0x44, 0x26e, 0x3, 0x2, 0x2, 0x2, 0x46, 0x285, 0x3, 0x2, 0x2, 0x2, 
    0x48, 0x287, 0x3, 0x2, 0x2, 0x2, 0x4a, 0x296, 0x3, 0x2, 0x2, 0x2, 0x4c, 
    0x298, 0x3, 0x2, 0x2, 0x2, 0x4e, 0x2a2, 0x3, 0x2, 0x2, 0x2, 0x50, 0x2b4, 
    0x3, 0x2, 0x2, 0x2, 0x52, 0x2b6, 0x3, 0x2, 0x2, 0x2, 0x54, 0x56, 0x5, 
    0x6, 0x4, 0x2, 0x55, 0x54, 0x3, 0x2, 0x2, 0x2, 0x56, 0x59, 0x3, 0x2, 
    0x2, 0x2, 0x57, 0x55, 0x3, 0x2, 0x2, 0x2, 0x57, 0x58, 0x3, 0x2, 0x2, 
    0x2, 0x58, 0x5d, 0x3, 0x2, 0x2, 0x2, 0x59, 0x57, 0x3, 0x2, 0x2, 0x2, 
    0x5a, 0x5c, 0x5, 0x4, 0x3, 0x2, 0x5b, 0x5a, 0x3, 0x2, 0x2, 0x2, 0x5c, 
    0x5f, 0x3, 0x2, 0x2, 0x2, 0x5d, 0x5b, 0x3, 0x2, 0x2, 0x2, 0x5d, 0x5e, 
    0x3, 0x2, 0x2, 0x2, 0x5e, 0x60, 0x3, 0x2, 0x2, 0x2, 0x5f, 0x5d, 0x3, 
    0x2, 0x2, 0x2, 0x60, 0x61, 0x7, 0x2, 0x2, 0x3, 0x61, 0x3, 0x3, 0x2, 
    0x2, 0x2, 0x62, 0x63, 0x7, 0x4, 0x2, 0x2, 0x63, 0x67, 0x7, 0x1a, 0x2, 
    0x2, 0x64, 0x66, 0x5, 0x6, 0x4, 0x2, 0x65, 0x64, 0x3, 0x2, 0x2, 0x2, 
    0x66, 0x69, 0x3, 0x2, 0x2, 0x2, 0x67, 0x65, 0x3, 0x2, 0x2, 0x2, 0x67, 
    0x68, 0x3, 0x2, 0x2, 0x2, 0x68, 0xc0, 0x3, 0x2, 0x2, 0x2, 0x69, 0x67, 
    0x3, 0x2, 0x2, 0x2, 0x6a, 0x6b, 0x7, 0x5, 0x2, 0x2, 0x6b, 0x70, 0x5, 
    0x3c, 0x1f, 0x2, 0x6c, 0x6d, 0x7, 0x2a, 0x2, 0x2, 0x6d, 0x6f, 0x5, 0x3c, 
    0x1f, 0x2, 0x6e, 0x6c, 0x3, 0x2, 0x2, 0x2, 0x6f, 0x72, 0x3, 0x2, 0x2, 
    0x2, 0x70, 0x6e, 0x3, 0x2, 0x2, 0x2, 0x70, 0x71, 0x3, 0x2, 0x2, 0x2, 
    0x71, 0x76, 0x3, 0x2, 0x2, 0x2, 0x72, 0x70, 0x3, 0x2, 0x2, 0x2, 0x73, 
    0x75, 0x5, 0x6, 0x4, 0x2, 0x74, 0x73, 0x3, 0x2, 0x2, 0x2, 0x75, 0x78, 
    0x3, 0x2, 0x2, 0x2, 0x76, 0x74, 0x3, 0x2, 0x2, 0x2, 0x76, 0x77, 0x3, 
    0x2, 0x2, 0x2, 0x77, 0xc0, 0x3, 0x2, 0x2, 0x2, 0x78, 0x76, 0x3, 0x2, 
    0x2, 0x2, 0x79, 0x7a, 0x7, 0x6, 0x2, 0x2, 0x7a, 0x7e, 0x7, 0x1b, 0x2, 
    0x2, 0x7b, 0x7d, 0x5, 0x6, 0x4, 0x2, 0x7c, 0x7b, 0x3, 0x2, 0x2, 0x2, 
    0x7d, 0x80, 0x3, 0x2, 0x2, 0x2, 0x7e, 0x7c, 0x3, 0x2, 0x2, 0x2, 0x7e, 
    0x7f, 0x3, 0x2, 0x2, 0x2, 0x7f, 0xc0, 0x3, 0x2, 0x2, 0x2, 0x80, 0x7e, 
    0x3, 0x2, 0x2, 0x2, 0x81, 0x83, 0x7, 0x7, 0x2, 0x2, 0x82, 0x81, 0x3, 
    0x2, 0x2, 0x2, 0x83, 0x86, 0x3, 0x2, 0x2, 0x2, 0x84, 0x82, 0x3, 0x2, 
    0x2, 0x2, 0x84, 0x85, 0x3, 0x2, 0x2, 0x2, 0x85, 0x96, 0x3, 0x2, 0x2, 
    0x2, 0x86, 0x84, 0x3, 0x2, 0x2, 0x2, 0x87, 0x8b, 0x5, 0x14, 0xb, 0x2, 
    0x88, 0x8a, 0x5, 0x6, 0x4, 0x2, 0x89, 0x88, 0x3, 0x2, 0x2, 0x2, 0x8a, 
    0x8d, 0x3, 0x2, 0x2, 0x2, 0x8b, 0x89, 0x3, 0x2, 0x2, 0x2, 0x8b, 0x8c, 
    0x3, 0x2, 0x2, 0x2, 0x8c, 0x97, 0x3, 0x2, 0x2, 0x2, 0x8d, 0x8b, 0x3, 
    0x2, 0x2, 0x2, 0x8e, 0x92, 0x5, 0x8, 0x5, 0x2, 0x8f, 0x91, 0x5, 0x6, 
    0x4, 0x2, 0x90, 0x8f, 0x3, 0x2, 0x2, 0x2, 0x91, 0x94, 0x3, 0x2, 0x2, 
    0x2, 0x92, 0x90, 0x3, 0x2, 0x2, 0x2, 0x92, 0x93, 0x3, 0x2, 0x2, 0x2, 
    0x93, 0x97, 0x3, 0x2, 0x2, 0x2, 0x94, 0x92, 0x3, 0x2, 0x2, 0x2, 0x95, 
    0x97, 0x5, 0xa, 0x6, 0x2, 0x96, 0x87, 0x3, 0x2, 0x2, 0x2, 0x96, 0x8e, 
    0x3, 0x2, 0x2, 0x2, 0x96, 0x95, 0x3, 0x2, 0x2, 0x2, 0x97, 0xc0, 0x3, 
    0x2, 0x2, 0x2, 0x98, 0x99, 0x7, 0xa, 0x2, 0x2, 0x99, 0x9a, 0x5, 0x3c, 
    0x1f, 0x2, 0x9a, 0x9b, 0x7, 0x2a, 0x2, 0x2, 0x9b, 0x9c, 0x5, 0x3c, 0x1f, 
    0x2, 0x9c, 0xa0, 0x7, 0x29, 0x2, 0x2, 0x9d, 0x9f, 0x5, 0x6, 0x4, 0x2, 
    0x9e, 0x9d, 0x3, 0x2, 0x2, 0x2, 0x9f, 0xa2, 0x3, 0x2, 0x2, 0x2, 0xa0, 
    0x9e, 0x3, 0x2, 0x2, 0x2, 0xa0, 0xa1, 0x3, 0x2, 0x2, 0x2, 0xa1, 0xc0, 
    0x3, 0x2, 0x2, 0x2, 0xa2, 0xa0, 0x3, 0x2, 0x2, 0x2, 0xa3, 0xa7, 0x5, 
    0x40, 0x21, 0x2, 0xa4, 0xa6, 0x5, 0x6, 0x4, 0x2, 0xa5, 0xa4, 0x3, 0x2, 
    0x2, 0x2, 0xa6, 0xa9, 0x3, 0x2, 0x2, 0x2, 0xa7, 0xa5, 0x3, 0x2, 0x2, 
    0x2, 0xa7, 0xa8, 0x3, 0x2, 0x2, 0x2, 0xa8, 0xc0, 0x3, 0x2, 0x2, 0x2, 
    0xa9, 0xa7, 0x3, 0x2, 0x2, 0x2, 0xaa, 0xae, 0x5, 0x42, 0x22, 0x2, 0xab, 
    0xad, 0x5, 0x6, 0x4, 0x2, 0xac, 0xab, 0x3, 0x2, 0x2, 0x2, 0xad, 0xb0, 
    0x3, 0x2, 0x2, 0x2, 0xae, 0xac, 0x3, 0x2, 0x2, 0x2, 0xae, 0xaf, 0x3, 
    0x2, 0x2, 0x2, 0xaf, 0xc0, 0x3, 0x2, 0x2, 0x2, 0xb0, 0xae, 0x3, 0x2, 
    0x2, 0x2, 0xb1, 0xb5, 0x5, 0x44, 0x23, 0x2, 0xb2, 0xb4, 0x5, 0x6, 0x4, 
    0x2, 0xb3, 0xb2, 0x3, 0x2, 0x2, 0x2, 0xb4, 0xb7, 0x3, 0x2, 0x2, 0x2, 
    0xb5, 0xb3, 0x3, 0x2, 0x2, 0x2, 0xb5, 0xb6, 0x3, 0x2, 0x2, 0x2, 0xb6, 
    0xc0, 0x3, 0x2, 0x2, 0x2, 0xb7, 0xb5, 0x3, 0x2, 0x2, 0x2, 0xb8, 0xbc, 
    0x5, 0x4c, 0x27, 0x2, 0xb9, 0xbb, 0x5, 0x6, 0x4, 0x2, 0xba, 0xb9, 0x3, 
    0x2, 0x2, 0x2, 0xbb, 0xbe, 0x3, 0x2, 0x2, 0x2, 0xbc, 0xba, 0x3, 0x2, 
    0x2, 0x2, 0xbc, 0xbd, 0x3, 0x2, 0x2, 0x2, 0xbd, 0xc0, 0x3, 0x2, 0x2, 
    0x2, 0xbe, 0xbc, 0x3, 0x2, 0x2, 0x2, 0xbf, 0x62, 0x3, 0x2, 0x2, 0x2, 
    0xbf, 0x6a, 0x3, 0x2, 0x2, 0x2, 0xbf, 0x79, 0x3, 0x2, 0x2, 0x2, 0xbf, 
    0x84, 0x3, 0x2, 0x2, 0x2, 0xbf, 0x98, 0x3, 0x2, 0x2, 0x2, 0xbf, 0xa3, 
    0x3, 0x2, 0x2, 0x2, 0xbf, 0xaa, 0x3, 0x2, 0x2, 0x2, 0xbf, 0xb1, 0x3, 
    0x2, 0x2, 0x2, 0xbf, 0xb8, 0x3, 0x2, 0x2, 0x2, 0xc0, 0x5, 0x3, 0x2, 
    0x2, 0x2, 0xc1, 0xc4, 0x5, 0x3e, 0x20, 0x2, 0xc2, 0xc4, 0x5, 0x52, 0x2a, 
    0x2, 0xc3, 0xc1, 0x3, 0x2, 0x2, 0x2, 0xc3, 0xc2, 0x3, 0x2, 0x2, 0x2, 
    0xc4, 0x7, 0x3, 0x2, 0x2, 0x2, 0xc5, 0xc6, 0x7, 0x8, 0x2, 0x2, 0xc6, 
    0xc8, 0x5, 0x3c, 0x1f, 0x2, 0xc7, 0xc9, 0x5, 0xc, 0x7, 0x2, 0xc8, 0xc7, 
    0x3, 0x2, 0x2, 0x2, 0xc8, 0xc9, 0x3, 0x2, 0x2, 0x2, 0xc9, 0xcd, 0x3, 
    0x2, 0x2, 0x2, 0xca, 0xcc, 0x5, 0x10, 0x9, 0x2, 0xcb, 0xca, 0x3, 0x2, 
    0x2, 0x2, 0xcc, 0xcf, 0x3, 0x2, 0x2, 0x2, 0xcd, 0xcb, 0x3, 0x2, 0x2, 
    0x2, 0xcd, 0xce, 0x3, 0x2, 0x2, 0x2, 0xce, 0xd2, 0x3, 0x2, 0x2, 0x2, 
    0xcf, 0xcd, 0x3, 0x2, 0x2, 0x2, 0xd0, 0xd3, 0x5, 0x22, 0x12, 0x2, 0xd1, 
    0xd3, 0x7, 0x29, 0x2, 0x2, 0xd2, 0xd0, 0x3, 0x2, 0x2, 0x2, 0xd2, 0xd1, 
    0x3, 0x2, 0x2, 0x2, 0xd3, 0x9, 0x3, 0x2, 0x2, 0x2, 0xd4, 0xd8, 0x7, 
    0x9, 0x2, 0x2, 0xd5, 0xd7, 0x5, 0x18, 0xd, 0x2, 0xd6, 0xd5, 0x3, 0x2, 
    0x2, 0x2, 0xd7, 0xda, 0x3, 0x2, 0x2, 0x2, 0xd8, 0xd6, 0x3, 0x2, 0x2, 
    0x2, 0xd8, 0xd9, 0x3, 0x2, 0x2, 0x2, 0xd9, 0xdc, 0x3, 0x2, 0x2, 0x2, 
    0xda, 0xd8, 0x3, 0x2, 0x2, 0x2, 0xdb, 0xdd, 0x5, 0xc, 0x7, 0x2, 0xdc, 
    0xdb, 0x3, 0x2, 0x2, 0x2, 0xdc, 0xdd, 0x3, 0x2, 0x2, 0x2, 0xdd, 0xde, 
    0x3, 0x2, 0x2, 0x2, 0xde, 0xe0, 0x5, 0x3c, 0x1f, 0x2, 0xdf, 0xe1, 0x5, 
    0xc, 0x7, 0x2, 0xe0, 0xdf, 0x3, 0x2, 0x2, 0x2, 0xe0, 0xe1, 0x3, 0x2, 
    0x2, 0x2, 0xe1, 0xe5, 0x3, 0x2, 0x2, 0x2, 0xe2, 0xe4, 0x5, 0x10, 0x9, 
    0x2, 0xe3, 0xe2, 0x3, 0x2, 0x2, 0x2, 0xe4, 0xe7, 0x3, 0x2, 0x2, 0x2, 
    0xe5, 0xe3, 0x3, 0x2, 0x2, 0x2, 0xe5, 0xe6, 0x3, 0x2, 0x2, 0x2, 0xe6, 
    0xf2, 0x3, 0x2, 0x2, 0x2, 0xe7, 0xe5, 0x3, 0x2, 0x2, 0x2, 0xe8, 0xeb, 
    0x5, 0x22, 0x12, 0x2, 0xe9, 0xeb, 0x7, 0x29, 0x2, 0x2, 0xea, 0xe8, 0x3, 
    0x2, 0x2, 0x2, 0xea, 0xe9, 0x3, 0x2, 0x2, 0x2, 0xeb, 0xef, 0x3, 0x2, 
    0x2, 0x2, 0xec, 0xee, 0x5, 0x6, 0x4, 0x2, 0xed, 0xec, 0x3, 0x2, 0x2, 
    0x2, 0xee, 0xf1, 0x3, 0x2, 0x2, 0x2, 0xef, 0xed, 0x3, 0x2, 0x2, 0x2, 
    0xef, 0xf0, 0x3, 0x2, 0x2, 0x2, 0xf0, 0xf3, 0x3, 0x2, 0x2, 0x2, 0xf1, 
    0xef, 0x3, 0x2, 0x2, 0x2, 0xf2, 0xea, 0x3, 0x2, 0x2, 0x2, 0xf2, 0xf3, 
    0x3, 0x2, 0x2, 0x2, 0xf3, 0xb, 0x3, 0x2, 0x2, 0x2, 0xf4, 0xfd, 0x7, 
    0x23, 0x2, 0x2, 0xf5, 0xfa, 0x5, 0xe, 0x8, 0x2, 0xf6, 0xf7, 0x7, 0x2a, 
    0x2, 0x2, 0xf7, 0xf9, 0x5, 0xe, 0x8, 0x2, 0xf8, 0xf6, 0x3, 0x2, 0x2, 
    0x2, 0xf9, 0xfc, 0x3, 0x2, 0x2, 0x2, 0xfa, 0xf8, 0x3, 0x2, 0x2, 0x2, 
    0xfa, 0xfb, 0x3, 0x2, 0x2, 0x2, 0xfb, 0xfe, 0x3, 0x2, 0x2, 0x2, 0xfc, 
    0xfa, 0x3, 0x2, 0x2, 0x2, 0xfd, 0xf5, 0x3, 0x2, 0x2, 0x2, 0xfd, 0xfe, 
    0x3, 0x2, 0x2, 0x2, 0xfe, 0xff, 0x3, 0x2, 0x2, 0x2, 0xff, 0x100, 0x7, 
    0x24, 0x2, 0x2, 0x100, 0xd, 0x3, 0x2, 0x2, 0x2, 0x101, 0x103, 0x5, 0x16, 
    0xc, 0x2, 0x102, 0x101, 0x3, 0x2, 0x2, 0x2, 0x103, 0x104, 0x3, 0x2, 
    0x2, 0x2, 0x104, 0x102, 0x3, 0x2, 0x2, 0x2, 0x104, 0x105, 0x3, 0x2, 
    0x2, 0x2, 0x105, 0x106, 0x3, 0x2, 0x2, 0x2, 0x106, 0x10a, 0x5, 0x3c, 
    0x1f, 0x2, 0x107, 0x109, 0x5, 0x1e, 0x10, 0x2, 0x108, 0x107, 0x3, 0x2, 
    0x2, 0x2, 0x109, 0x10c, 0x3, 0x2, 0x2, 0x2, 0x10a, 0x108, 0x3, 0x2, 
    0x2, 0x2, 0x10a, 0x10b, 0x3, 0x2, 0x2, 0x2, 0x10b, 0xf, 0x3, 0x2, 0x2, 
    0x2, 0x10c, 0x10a, 0x3, 0x2, 0x2, 0x2, 0x10d, 0x116, 0x7, 0x1d, 0x2, 
    0x2, 0x10e, 0x113, 0x5, 0x12, 0xa, 0x2, 0x10f, 0x110, 0x7, 0x2a, 0x2, 
    0x2, 0x110, 0x112, 0x5, 0x12, 0xa, 0x2, 0x111, 0x10f, 0x3, 0x2, 0x2, 
    0x2, 0x112, 0x115, 0x3, 0x2, 0x2, 0x2, 0x113, 0x111, 0x3, 0x2, 0x2, 
    0x2, 0x113, 0x114, 0x3, 0x2, 0x2, 0x2, 0x114, 0x117, 0x3, 0x2, 0x2, 
    0x2, 0x115, 0x113, 0x3, 0x2, 0x2, 0x2, 0x116, 0x10e, 0x3, 0x2, 0x2, 
    0x2, 0x116, 0x117, 0x3, 0x2, 0x2, 0x2, 0x117, 0x11c, 0x3, 0x2, 0x2, 
    0x2, 0x118, 0x11c, 0x5, 0x18, 0xd, 0x2, 0x119, 0x11c, 0x5, 0x3e, 0x20, 
    0x2, 0x11a, 0x11c, 0x7, 0x3, 0x2, 0x2, 0x11b, 0x10d, 0x3, 0x2, 0x2, 
    0x2, 0x11b, 0x118, 0x3, 0x2, 0x2, 0x2, 0x11b, 0x119, 0x3, 0x2, 0x2, 
    0x2, 0x11b, 0x11a, 0x3, 0x2, 0x2, 0x2, 0x11c, 0x11, 0x3, 0x2, 0x2, 0x2, 
    0x11d, 0x121, 0x7, 0x1b, 0x2, 0x2, 0x11e, 0x121, 0x7, 0x1c, 0x2, 0x2, 
    0x11f, 0x121, 0x5, 0x3c, 0x1f, 0x2, 0x120, 0x11d, 0x3, 0x2, 0x2, 0x2, 
    0x120, 0x11e, 0x3, 0x2, 0x2, 0x2, 0x120, 0x11f, 0x3, 0x2, 0x2, 0x2, 
    0x121, 0x13, 0x3, 0x2, 0x2, 0x2, 0x122, 0x126, 0x7, 0x17, 0x2, 0x2, 
    0x123, 0x125, 0x5, 0x16, 0xc, 0x2, 0x124, 0x123, 0x3, 0x2, 0x2, 0x2, 
    0x125, 0x128, 0x3, 0x2, 0x2, 0x2, 0x126, 0x124, 0x3, 0x2, 0x2, 0x2, 
    0x126, 0x127, 0x3, 0x2, 0x2, 0x2, 0x127, 0x129, 0x3, 0x2, 0x2, 0x2, 
    0x128, 0x126, 0x3, 0x2, 0x2, 0x2, 0x129, 0x12e, 0x5, 0x1c, 0xf, 0x2, 
    0x12a, 0x12b, 0x7, 0x2a, 0x2, 0x2, 0x12b, 0x12d, 0x5, 0x1c, 0xf, 0x2, 
    0x12c, 0x12a, 0x3, 0x2, 0x2, 0x2, 0x12d, 0x130, 0x3, 0x2, 0x2, 0x2, 
    0x12e, 0x12c, 0x3, 0x2, 0x2, 0x2, 0x12e, 0x12f, 0x3, 0x2, 0x2, 0x2, 
    0x12f, 0x131, 0x3, 0x2, 0x2, 0x2, 0x130, 0x12e, 0x3, 0x2, 0x2, 0x2, 
    0x131, 0x132, 0x7, 0x29, 0x2, 0x2, 0x132, 0x15, 0x3, 0x2, 0x2, 0x2, 
    0x133, 0x139, 0x7, 0x1d, 0x2, 0x2, 0x134, 0x139, 0x7, 0x17, 0x2, 0x2, 
    0x135, 0x136, 0x7, 0x18, 0x2, 0x2, 0x136, 0x139, 0x7, 0x1b, 0x2, 0x2, 
    0x137, 0x139, 0x5, 0x18, 0xd, 0x2, 0x138, 0x133, 0x3, 0x2, 0x2, 0x2, 
    0x138, 0x134, 0x3, 0x2, 0x2, 0x2, 0x138, 0x135, 0x3, 0x2, 0x2, 0x2, 
    0x138, 0x137, 0x3, 0x2, 0x2, 0x2, 0x139, 0x17, 0x3, 0x2, 0x2, 0x2, 0x13a, 
    0x13b, 0x7, 0x19, 0x2, 0x2, 0x13b, 0x13c, 0x7, 0x23, 0x2, 0x2, 0x13c, 
    0x141, 0x5, 0x1a, 0xe, 0x2, 0x13d, 0x13e, 0x7, 0x2a, 0x2, 0x2, 0x13e, 
    0x140, 0x5, 0x1a, 0xe, 0x2, 0x13f, 0x13d, 0x3, 0x2, 0x2, 0x2, 0x140, 
    0x143, 0x3, 0x2, 0x2, 0x2, 0x141, 0x13f, 0x3, 0x2, 0x2, 0x2, 0x141, 
    0x142, 0x3, 0x2, 0x2, 0x2, 0x142, 0x144, 0x3, 0x2, 0x2, 0x2, 0x143, 
    0x141, 0x3, 0x2, 0x2, 0x2, 0x144, 0x145, 0x7, 0x24, 0x2, 0x2, 0x145, 
    0x19, 0x3, 0x2, 0x2, 0x2, 0x146, 0x152, 0x7, 0x1d, 0x2, 0x2, 0x147, 
    0x148, 0x7, 0x23, 0x2, 0x2, 0x148, 0x14d, 0x5, 0x12, 0xa, 0x2, 0x149, 
    0x14a, 0x7, 0x2a, 0x2, 0x2, 0x14a, 0x14c, 0x5, 0x12, 0xa, 0x2, 0x14b, 
    0x149, 0x3, 0x2, 0x2, 0x2, 0x14c, 0x14f, 0x3, 0x2, 0x2, 0x2, 0x14d, 
    0x14b, 0x3, 0x2, 0x2, 0x2, 0x14d, 0x14e, 0x3, 0x2, 0x2, 0x2, 0x14e, 
    0x150, 0x3, 0x2, 0x2, 0x2, 0x14f, 0x14d, 0x3, 0x2, 0x2, 0x2, 0x150, 
    0x151, 0x7, 0x24, 0x2, 0x2, 0x151, 0x153, 0x3, 0x2, 0x2, 0x2, 0x152, 
    0x147, 0x3, 0x2, 0x2, 0x2, 0x152, 0x153, 0x3, 0x2, 0x2, 0x2, 0x153, 
    0x1b, 0x3, 0x2, 0x2, 0x2, 0x154, 0x158, 0x5, 0x3c, 0x1f, 0x2, 0x155, 
    0x156, 0x7, 0x27, 0x2, 0x2, 0x156, 0x157, 0x7, 0x1b, 0x2, 0x2, 0x157, 
    0x159, 0x7, 0x28, 0x2, 0x2, 0x158, 0x155, 0x3, 0x2, 0x2, 0x2, 0x158, 
    0x159, 0x3, 0x2, 0x2, 0x2, 0x159, 0x15d, 0x3, 0x2, 0x2, 0x2, 0x15a, 
    0x15c, 0x5, 0x1e, 0x10, 0x2, 0x15b, 0x15a, 0x3, 0x2, 0x2, 0x2, 0x15c, 
    0x15f, 0x3, 0x2, 0x2, 0x2, 0x15d, 0x15b, 0x3, 0x2, 0x2, 0x2, 0x15d, 
    0x15e, 0x3, 0x2, 0x2, 0x2, 0x15e, 0x162, 0x3, 0x2, 0x2, 0x2, 0x15f, 
    0x15d, 0x3, 0x2, 0x2, 0x2, 0x160, 0x161, 0x7, 0x2d, 0x2, 0x2, 0x161, 
    0x163, 0x5, 0x20, 0x11, 0x2, 0x162, 0x160, 0x3, 0x2, 0x2, 0x2, 0x162, 
    0x163, 0x3, 0x2, 0x2, 0x2, 0x163, 0x1d, 0x3, 0x2, 0x2, 0x2, 0x164, 0x166, 
    0x7, 0x25, 0x2, 0x2, 0x165, 0x167, 0x5, 0x34, 0x1b, 0x2, 0x166, 0x165, 
    0x3, 0x2, 0x2, 0x2, 0x166, 0x167, 0x3, 0x2, 0x2, 0x2, 0x167, 0x168, 
    0x3, 0x2, 0x2, 0x2, 0x168, 0x169, 0x7, 0x26, 0x2, 0x2, 0x169, 0x1f, 
    0x3, 0x2, 0x2, 0x2, 0x16a, 0x173, 0x7, 0x21, 0x2, 0x2, 0x16b, 0x170, 
    0x5, 0x20, 0x11, 0x2, 0x16c, 0x16d, 0x7, 0x2a, 0x2, 0x2, 0x16d, 0x16f, 
    0x5, 0x20, 0x11, 0x2, 0x16e, 0x16c, 0x3, 0x2, 0x2, 0x2, 0x16f, 0x172, 
    0x3, 0x2, 0x2, 0x2, 0x170, 0x16e, 0x3, 0x2, 0x2, 0x2, 0x170, 0x171, 
    0x3, 0x2, 0x2, 0x2, 0x171, 0x174, 0x3, 0x2, 0x2, 0x2, 0x172, 0x170, 
    0x3, 0x2, 0x2, 0x2, 0x173, 0x16b, 0x3, 0x2, 0x2, 0x2, 0x173, 0x174, 
    0x3, 0x2, 0x2, 0x2, 0x174, 0x175, 0x3, 0x2, 0x2, 0x2, 0x175, 0x17c, 
    0x7, 0x22, 0x2, 0x2, 0x176, 0x179, 0x5, 0x34, 0x1b, 0x2, 0x177, 0x178, 
    0x7, 0x2d, 0x2, 0x2, 0x178, 0x17a, 0x5, 0x34, 0x1b, 0x2, 0x179, 0x177, 
    0x3, 0x2, 0x2, 0x2, 0x179, 0x17a, 0x3, 0x2, 0x2, 0x2, 0x17a, 0x17c, 
    0x3, 0x2, 0x2, 0x2, 0x17b, 0x16a, 0x3, 0x2, 0x2, 0x2, 0x17b, 0x176, 
    0x3, 0x2, 0x2, 0x2, 0x17c, 0x21, 0x3, 0x2, 0x2, 0x2, 0x17d, 0x181, 0x7, 
    0x21, 0x2, 0x2, 0x17e, 0x180, 0x5, 0x24, 0x13, 0x2, 0x17f, 0x17e, 0x3, 
    0x2, 0x2, 0x2, 0x180, 0x183, 0x3, 0x2, 0x2, 0x2, 0x181, 0x17f, 0x3, 
    0x2, 0x2, 0x2, 0x181, 0x182, 0x3, 0x2, 0x2, 0x2, 0x182, 0x184, 0x3, 
    0x2, 0x2, 0x2, 0x183, 0x181, 0x3, 0x2, 0x2, 0x2, 0x184, 0x185, 0x7, 
    0x22, 0x2, 0x2, 0x185, 0x23, 0x3, 0x2, 0x2, 0x2, 0x186, 0x18a, 0x7, 
    0x1f, 0x2, 0x2, 0x187, 0x189, 0x5, 0x28, 0x15, 0x2, 0x188, 0x187, 0x3, 
    0x2, 0x2, 0x2, 0x189, 0x18c, 0x3, 0x2, 0x2, 0x2, 0x18a, 0x188, 0x3, 
    0x2, 0x2, 0x2, 0x18a, 0x18b, 0x3, 0x2, 0x2, 0x2, 0x18b, 0x18e, 0x3, 
    0x2, 0x2, 0x2, 0x18c, 0x18a, 0x3, 0x2, 0x2, 0x2, 0x18d, 0x18f, 0x5, 
    0x2c, 0x17, 0x2, 0x18e, 0x18d, 0x3, 0x2, 0x2, 0x2, 0x18e, 0x18f, 0x3, 
    0x2, 0x2, 0x2, 0x18f, 0x190, 0x3, 0x2, 0x2, 0x2, 0x190, 0x1dc, 0x7, 
    0x29, 0x2, 0x2, 0x191, 0x19d, 0x7, 0x20, 0x2, 0x2, 0x192, 0x19e, 0x7, 
    0x2b, 0x2, 0x2, 0x193, 0x195, 0x5, 0x28, 0x15, 0x2, 0x194, 0x193, 0x3, 
    0x2, 0x2, 0x2, 0x195, 0x198, 0x3, 0x2, 0x2, 0x2, 0x196, 0x194, 0x3, 
    0x2, 0x2, 0x2, 0x196, 0x197, 0x3, 0x2, 0x2, 0x2, 0x197, 0x19a, 0x3, 
    0x2, 0x2, 0x2, 0x198, 0x196, 0x3, 0x2, 0x2, 0x2, 0x199, 0x19b, 0x5, 
    0x2c, 0x17, 0x2, 0x19a, 0x199, 0x3, 0x2, 0x2, 0x2, 0x19a, 0x19b, 0x3, 
    0x2, 0x2, 0x2, 0x19b, 0x19c, 0x3, 0x2, 0x2, 0x2, 0x19c, 0x19e, 0x7, 
    0x29, 0x2, 0x2, 0x19d, 0x192, 0x3, 0x2, 0x2, 0x2, 0x19d, 0x196, 0x3, 
    0x2, 0x2, 0x2, 0x19e, 0x1dc, 0x3, 0x2, 0x2, 0x2, 0x19f, 0x1a0, 0x7, 
    0x1e, 0x2, 0x2, 0x1a0, 0x1dc, 0x7, 0x2b, 0x2, 0x2, 0x1a1, 0x1a2, 0x5, 
    0x26, 0x14, 0x2, 0x1a2, 0x1a6, 0x9, 0x2, 0x2, 0x2, 0x1a3, 0x1a5, 0x5, 
    0x28, 0x15, 0x2, 0x1a4, 0x1a3, 0x3, 0x2, 0x2, 0x2, 0x1a5, 0x1a8, 0x3, 
    0x2, 0x2, 0x2, 0x1a6, 0x1a4, 0x3, 0x2, 0x2, 0x2, 0x1a6, 0x1a7, 0x3, 
    0x2, 0x2, 0x2, 0x1a7, 0x1aa, 0x3, 0x2, 0x2, 0x2, 0x1a8, 0x1a6, 0x3, 
    0x2, 0x2, 0x2, 0x1a9, 0x1ab, 0x5, 0x2c, 0x17, 0x2, 0x1aa, 0x1a9, 0x3, 
    0x2, 0x2, 0x2, 0x1aa, 0x1ab, 0x3, 0x2, 0x2, 0x2, 0x1ab, 0x1ac, 0x3, 
    0x2, 0x2, 0x2, 0x1ac, 0x1ad, 0x7, 0x29, 0x2, 0x2, 0x1ad, 0x1dc, 0x3, 
    0x2, 0x2, 0x2, 0x1ae, 0x1dc, 0x5, 0x14, 0xb, 0x2, 0x1af, 0x1dc, 0x5, 
    0x22, 0x12, 0x2, 0x1b0, 0x1b1, 0x7, 0xc, 0x2, 0x2, 0x1b1, 0x1b6, 0x5, 
    0x2a, 0x16, 0x2, 0x1b2, 0x1b3, 0x7, 0x2a, 0x2, 0x2, 0x1b3, 0x1b5, 0x5, 
    0x2a, 0x16, 0x2, 0x1b4, 0x1b2, 0x3, 0x2, 0x2, 0x2, 0x1b5, 0x1b8, 0x3, 
    0x2, 0x2, 0x2, 0x1b6, 0x1b4, 0x3, 0x2, 0x2, 0x2, 0x1b6, 0x1b7, 0x3, 
    0x2, 0x2, 0x2, 0x1b7, 0x1b9, 0x3, 0x2, 0x2, 0x2, 0x1b8, 0x1b6, 0x3, 
    0x2, 0x2, 0x2, 0x1b9, 0x1ba, 0x7, 0x29, 0x2, 0x2, 0x1ba, 0x1dc, 0x3, 
    0x2, 0x2, 0x2, 0x1bb, 0x1bc, 0x7, 0xd, 0x2, 0x2, 0x1bc, 0x1c1, 0x5, 
    0x2a, 0x16, 0x2, 0x1bd, 0x1be, 0x7, 0x2a, 0x2, 0x2, 0x1be, 0x1c0, 0x5, 
    0x2a, 0x16, 0x2, 0x1bf, 0x1bd, 0x3, 0x2, 0x2, 0x2, 0x1c0, 0x1c3, 0x3, 
    0x2, 0x2, 0x2, 0x1c1, 0x1bf, 0x3, 0x2, 0x2, 0x2, 0x1c1, 0x1c2, 0x3, 
    0x2, 0x2, 0x2, 0x1c2, 0x1c4, 0x3, 0x2, 0x2, 0x2, 0x1c3, 0x1c1, 0x3, 
    0x2, 0x2, 0x2, 0x1c4, 0x1c5, 0x7, 0x29, 0x2, 0x2, 0x1c5, 0x1dc, 0x3, 
    0x2, 0x2, 0x2, 0x1c6, 0x1c8, 0x7, 0xe, 0x2, 0x2, 0x1c7, 0x1c9, 0x5, 
    0xc, 0x7, 0x2, 0x1c8, 0x1c7, 0x3, 0x2, 0x2, 0x2, 0x1c8, 0x1c9, 0x3, 
    0x2, 0x2, 0x2, 0x1c9, 0x1ca, 0x3, 0x2, 0x2, 0x2, 0x1ca, 0x1cc, 0x5, 
    0x3c, 0x1f, 0x2, 0x1cb, 0x1cd, 0x5, 0xc, 0x7, 0x2, 0x1cc, 0x1cb, 0x3, 
    0x2, 0x2, 0x2, 0x1cc, 0x1cd, 0x3, 0x2, 0x2, 0x2, 0x1cd, 0x1d1, 0x3, 
    0x2, 0x2, 0x2, 0x1ce, 0x1d0, 0x5, 0x10, 0x9, 0x2, 0x1cf, 0x1ce, 0x3, 
    0x2, 0x2, 0x2, 0x1d0, 0x1d3, 0x3, 0x2, 0x2, 0x2, 0x1d1, 0x1cf, 0x3, 
    0x2, 0x2, 0x2, 0x1d1, 0x1d2, 0x3, 0x2, 0x2, 0x2, 0x1d2, 0x1d4, 0x3, 
    0x2, 0x2, 0x2, 0x1d3, 0x1d1, 0x3, 0x2, 0x2, 0x2, 0x1d4, 0x1d5, 0x7, 
    0x29, 0x2, 0x2, 0x1d5, 0x1dc, 0x3, 0x2, 0x2, 0x2, 0x1d6, 0x1dc, 0x5, 
    0x3e, 0x20, 0x2, 0x1d7, 0x1dc, 0x5, 0x40, 0x21, 0x2, 0x1d8, 0x1dc, 0x5, 
    0x42, 0x22, 0x2, 0x1d9, 0x1dc, 0x5, 0x44, 0x23, 0x2, 0x1da, 0x1dc, 0x5, 
    0x52, 0x2a, 0x2, 0x1db, 0x186, 0x3, 0x2, 0x2, 0x2, 0x1db, 0x191, 0x3, 
    0x2, 0x2, 0x2, 0x1db, 0x19f, 0x3, 0x2, 0x2, 0x2, 0x1db, 0x1a1, 0x3, 
    0x2, 0x2, 0x2, 0x1db, 0x1ae, 0x3, 0x2, 0x2, 0x2, 0x1db, 0x1af, 0x3, 
    0x2, 0x2, 0x2, 0x1db, 0x1b0, 0x3, 0x2, 0x2, 0x2, 0x1db, 0x1bb, 0x3, 
    0x2, 0x2, 0x2, 0x1db, 0x1c6, 0x3, 0x2, 0x2, 0x2, 0x1db, 0x1d6, 0x3, 
    0x2, 0x2, 0x2, 0x1db, 0x1d7, 0x3, 0x2, 0x2, 0x2, 0x1db, 0x1d8, 0x3, 
    0x2, 0x2, 0x2, 0x1db, 0x1d9, 0x3, 0x2, 0x2, 0x2, 0x1db, 0x1da, 0x3, 
    0x2, 0x2, 0x2, 0x1dc, 0x25, 0x3, 0x2, 0x2, 0x2, 0x1dd, 0x1df, 0x7, 0x2c, 
    0x2, 0x2, 0x1de, 0x1e0, 0x7, 0x2e, 0x2, 0x2, 0x1df, 0x1de, 0x3, 0x2, 
    0x2, 0x2, 0x1df, 0x1e0, 0x3, 0x2, 0x2, 0x2, 0x1e0, 0x1e1, 0x3, 0x2, 
    0x2, 0x2, 0x1e1, 0x1e2, 0x5, 0x3c, 0x1f, 0x2, 0x1e2, 0x27, 0x3, 0x2, 
    0x2, 0x2, 0x1e3, 0x1e4, 0x9, 0x3, 0x2, 0x2, 0x1e4, 0x29, 0x3, 0x2, 0x2, 
    0x2, 0x1e5, 0x1e9, 0x5, 0x3c, 0x1f, 0x2, 0x1e6, 0x1e7, 0x7, 0x27, 0x2, 
    0x2, 0x1e7, 0x1e8, 0x7, 0x1b, 0x2, 0x2, 0x1e8, 0x1ea, 0x7, 0x28, 0x2, 
    0x2, 0x1e9, 0x1e6, 0x3, 0x2, 0x2, 0x2, 0x1e9, 0x1ea, 0x3, 0x2, 0x2, 
    0x2, 0x1ea, 0x2b, 0x3, 0x2, 0x2, 0x2, 0x1eb, 0x1f0, 0x5, 0x2e, 0x18, 
    0x2, 0x1ec, 0x1ed, 0x7, 0x2a, 0x2, 0x2, 0x1ed, 0x1ef, 0x5, 0x2e, 0x18, 
    0x2, 0x1ee, 0x1ec, 0x3, 0x2, 0x2, 0x2, 0x1ef, 0x1f2, 0x3, 0x2, 0x2, 
    0x2, 0x1f0, 0x1ee, 0x3, 0x2, 0x2, 0x2, 0x1f0, 0x1f1, 0x3, 0x2, 0x2, 
    0x2, 0x1f1, 0x2d, 0x3, 0x2, 0x2, 0x2, 0x1f2, 0x1f0, 0x3, 0x2, 0x2, 0x2, 
    0x1f3, 0x1fb, 0x5, 0x30, 0x19, 0x2, 0x1f4, 0x1f7, 0x5, 0x32, 0x1a, 0x2, 
    0x1f5, 0x1f6, 0x7, 0x31, 0x2, 0x2, 0x1f6, 0x1f8, 0x5, 0x36, 0x1c, 0x2, 
    0x1f7, 0x1f5, 0x3, 0x2, 0x2, 0x2, 0x1f7, 0x1f8, 0x3, 0x2, 0x2, 0x2, 
    0x1f8, 0x1fb, 0x3, 0x2, 0x2, 0x2, 0x1f9, 0x1fb, 0x5, 0x34, 0x1b, 0x2, 
    0x1fa, 0x1f3, 0x3, 0x2, 0x2, 0x2, 0x1fa, 0x1f4, 0x3, 0x2, 0x2, 0x2, 
    0x1fa, 0x1f9, 0x3, 0x2, 0x2, 0x2, 0x1fb, 0x2f, 0x3, 0x2, 0x2, 0x2, 0x1fc, 
    0x1fd, 0x7, 0x25, 0x2, 0x2, 0x1fd, 0x1fe, 0x5, 0x2c, 0x17, 0x2, 0x1fe, 
    0x1ff, 0x7, 0x26, 0x2, 0x2, 0x1ff, 0x31, 0x3, 0x2, 0x2, 0x2, 0x200, 
    0x202, 0x7, 0x21, 0x2, 0x2, 0x201, 0x203, 0x5, 0x2c, 0x17, 0x2, 0x202, 
    0x201, 0x3, 0x2, 0x2, 0x2, 0x202, 0x203, 0x3, 0x2, 0x2, 0x2, 0x203, 
    0x204, 0x3, 0x2, 0x2, 0x2, 0x204, 0x205, 0x7, 0x22, 0x2, 0x2, 0x205, 
    0x33, 0x3, 0x2, 0x2, 0x2, 0x206, 0x211, 0x5, 0x36, 0x1c, 0x2, 0x207, 
    0x208, 0x5, 0x38, 0x1d, 0x2, 0x208, 0x209, 0x5, 0x36, 0x1c, 0x2, 0x209, 
    0x210, 0x3, 0x2, 0x2, 0x2, 0x20a, 0x20b, 0x7, 0x34, 0x2, 0x2, 0x20b, 
    0x20c, 0x5, 0x34, 0x1b, 0x2, 0x20c, 0x20d, 0x7, 0x2b, 0x2, 0x2, 0x20d, 
    0x20e, 0x5, 0x36, 0x1c, 0x2, 0x20e, 0x210, 0x3, 0x2, 0x2, 0x2, 0x20f, 
    0x207, 0x3, 0x2, 0x2, 0x2, 0x20f, 0x20a, 0x3, 0x2, 0x2, 0x2, 0x210, 
    0x213, 0x3, 0x2, 0x2, 0x2, 0x211, 0x20f, 0x3, 0x2, 0x2, 0x2, 0x211, 
    0x212, 0x3, 0x2, 0x2, 0x2, 0x212, 0x35, 0x3, 0x2, 0x2, 0x2, 0x213, 0x211, 
    0x3, 0x2, 0x2, 0x2, 0x214, 0x216, 0x5, 0x3a, 0x1e, 0x2, 0x215, 0x214, 
    0x3, 0x2, 0x2, 0x2, 0x216, 0x219, 0x3, 0x2, 0x2, 0x2, 0x217, 0x215, 
    0x3, 0x2, 0x2, 0x2, 0x217, 0x218, 0x3, 0x2, 0x2, 0x2, 0x218, 0x237, 
    0x3, 0x2, 0x2, 0x2, 0x219, 0x217, 0x3, 0x2, 0x2, 0x2, 0x21a, 0x223, 
    0x9, 0x4, 0x2, 0x2, 0x21b, 0x21c, 0x7, 0x23, 0x2, 0x2, 0x21c, 0x21d, 
    0x5, 0x34, 0x1b, 0x2, 0x21d, 0x21e, 0x7, 0x24, 0x2, 0x2, 0x21e, 0x224, 
    0x3, 0x2, 0x2, 0x2, 0x21f, 0x220, 0x7, 0x25, 0x2, 0x2, 0x220, 0x221, 
    0x5, 0x34, 0x1b, 0x2, 0x221, 0x222, 0x7, 0x26, 0x2, 0x2, 0x222, 0x224, 
    0x3, 0x2, 0x2, 0x2, 0x223, 0x21b, 0x3, 0x2, 0x2, 0x2, 0x223, 0x21f, 
    0x3, 0x2, 0x2, 0x2, 0x223, 0x224, 0x3, 0x2, 0x2, 0x2, 0x224, 0x238, 
    0x3, 0x2, 0x2, 0x2, 0x225, 0x22a, 0x7, 0x1b, 0x2, 0x2, 0x226, 0x227, 
    0x7, 0x23, 0x2, 0x2, 0x227, 0x228, 0x5, 0x34, 0x1b, 0x2, 0x228, 0x229, 
    0x7, 0x24, 0x2, 0x2, 0x229, 0x22b, 0x3, 0x2, 0x2, 0x2, 0x22a, 0x226, 
    0x3, 0x2, 0x2, 0x2, 0x22a, 0x22b, 0x3, 0x2, 0x2, 0x2, 0x22b, 0x238, 
    0x3, 0x2, 0x2, 0x2, 0x22c, 0x238, 0x7, 0x1a, 0x2, 0x2, 0x22d, 0x235, 
    0x7, 0x23, 0x2, 0x2, 0x22e, 0x22f, 0x7, 0x1d, 0x2, 0x2, 0x22f, 0x230, 
    0x7, 0x24, 0x2, 0x2, 0x230, 0x236, 0x5, 0x36, 0x1c, 0x2, 0x231, 0x233, 
    0x5, 0x2c, 0x17, 0x2, 0x232, 0x231, 0x3, 0x2, 0x2, 0x2, 0x232, 0x233, 
    0x3, 0x2, 0x2, 0x2, 0x233, 0x234, 0x3, 0x2, 0x2, 0x2, 0x234, 0x236, 
    0x7, 0x24, 0x2, 0x2, 0x235, 0x22e, 0x3, 0x2, 0x2, 0x2, 0x235, 0x232, 
    0x3, 0x2, 0x2, 0x2, 0x236, 0x238, 0x3, 0x2, 0x2, 0x2, 0x237, 0x21a, 
    0x3, 0x2, 0x2, 0x2, 0x237, 0x225, 0x3, 0x2, 0x2, 0x2, 0x237, 0x22c, 
    0x3, 0x2, 0x2, 0x2, 0x237, 0x22d, 0x3, 0x2, 0x2, 0x2, 0x238, 0x37, 0x3, 
    0x2, 0x2, 0x2, 0x239, 0x23a, 0x9, 0x5, 0x2, 0x2, 0x23a, 0x39, 0x3, 0x2, 
    0x2, 0x2, 0x23b, 0x23c, 0x9, 0x6, 0x2, 0x2, 0x23c, 0x3b, 0x3, 0x2, 0x2, 
    0x2, 0x23d, 0x23e, 0x9, 0x4, 0x2, 0x2, 0x23e, 0x3d, 0x3, 0x2, 0x2, 0x2, 
    0x23f, 0x240, 0x7, 0xb, 0x2, 0x2, 0x240, 0x245, 0x7, 0x1c, 0x2, 0x2, 
    0x241, 0x242, 0x7, 0x2a, 0x2, 0x2, 0x242, 0x244, 0x7, 0x1c, 0x2, 0x2, 
    0x243, 0x241, 0x3, 0x2, 0x2, 0x2, 0x244, 0x247, 0x3, 0x2, 0x2, 0x2, 
    0x245, 0x243, 0x3, 0x2, 0x2, 0x2, 0x245, 0x246, 0x3, 0x2, 0x2, 0x2, 
    0x246, 0x248, 0x3, 0x2, 0x2, 0x2, 0x247, 0x245, 0x3, 0x2, 0x2, 0x2, 
    0x248, 0x249, 0x7, 0x29, 0x2, 0x2, 0x249, 0x3f, 0x3, 0x2, 0x2, 0x2, 
    0x24a, 0x24b, 0x7, 0xf, 0x2, 0x2, 0x24b, 0x24c, 0x7, 0x1b, 0x2, 0x2, 
    0x24c, 0x251, 0x7, 0x1c, 0x2, 0x2, 0x24d, 0x24e, 0x7, 0x2a, 0x2, 0x2, 
    0x24e, 0x24f, 0x7, 0x1b, 0x2, 0x2, 0x24f, 0x250, 0x7, 0x2a, 0x2, 0x2, 
    0x250, 0x252, 0x7, 0x1b, 0x2, 0x2, 0x251, 0x24d, 0x3, 0x2, 0x2, 0x2, 
    0x251, 0x252, 0x3, 0x2, 0x2, 0x2, 0x252, 0x41, 0x3, 0x2, 0x2, 0x2, 0x253, 
    0x254, 0x7, 0x10, 0x2, 0x2, 0x254, 0x255, 0x7, 0x1b, 0x2, 0x2, 0x255, 
    0x256, 0x7, 0x1b, 0x2, 0x2, 0x256, 0x265, 0x7, 0x1b, 0x2, 0x2, 0x257, 
    0x258, 0x7, 0x2a, 0x2, 0x2, 0x258, 0x261, 0x5, 0x3c, 0x1f, 0x2, 0x259, 
    0x25c, 0x5, 0x3c, 0x1f, 0x2, 0x25a, 0x25b, 0x7, 0x2f, 0x2, 0x2, 0x25b, 
    0x25d, 0x7, 0x1b, 0x2, 0x2, 0x25c, 0x25a, 0x3, 0x2, 0x2, 0x2, 0x25c, 
    0x25d, 0x3, 0x2, 0x2, 0x2, 0x25d, 0x262, 0x3, 0x2, 0x2, 0x2, 0x25e, 
    0x25f, 0x7, 0x1b, 0x2, 0x2, 0x25f, 0x260, 0x7, 0x1b, 0x2, 0x2, 0x260, 
    0x262, 0x7, 0x1b, 0x2, 0x2, 0x261, 0x259, 0x3, 0x2, 0x2, 0x2, 0x261, 
    0x25e, 0x3, 0x2, 0x2, 0x2, 0x262, 0x264, 0x3, 0x2, 0x2, 0x2, 0x263, 
    0x257, 0x3, 0x2, 0x2, 0x2, 0x264, 0x267, 0x3, 0x2, 0x2, 0x2, 0x265, 
    0x263, 0x3, 0x2, 0x2, 0x2, 0x265, 0x266, 0x3, 0x2, 0x2, 0x2, 0x266, 
    0x26d, 0x3, 0x2, 0x2, 0x2, 0x267, 0x265, 0x3, 0x2, 0x2, 0x2, 0x268, 
    0x269, 0x7, 0x11, 0x2, 0x2, 0x269, 0x26a, 0x7, 0x1b, 0x2, 0x2, 0x26a, 
    0x26b, 0x7, 0x1b, 0x2, 0x2, 0x26b, 0x26d, 0x7, 0x1b, 0x2, 0x2, 0x26c, 
    0x253, 0x3, 0x2, 0x2, 0x2, 0x26c, 0x268, 0x3, 0x2, 0x2, 0x2, 0x26d, 
    0x43, 0x3, 0x2, 0x2, 0x2, 0x26e, 0x26f, 0x7, 0x12, 0x2, 0x2, 0x26f, 
    0x270, 0x7, 0x1d, 0x2, 0x2, 0x270, 0x274, 0x7, 0x21, 0x2, 0x2, 0x271, 
    0x273, 0x5, 0x46, 0x24, 0x2, 0x272, 0x271, 0x3, 0x2, 0x2, 0x2, 0x273, 
    0x276, 0x3, 0x2, 0x2, 0x2, 0x274, 0x272, 0x3, 0x2, 0x2, 0x2, 0x274, 
    0x275, 0x3, 0x2, 0x2, 0x2, 0x275, 0x277, 0x3, 0x2, 0x2, 0x2, 0x276, 
    0x274, 0x3, 0x2, 0x2, 0x2, 0x277, 0x278, 0x7, 0x22, 0x2, 0x2, 0x278, 
    0x45, 0x3, 0x2, 0x2, 0x2, 0x279, 0x27a, 0x7, 0x1d, 0x2, 0x2, 0x27a, 
    0x27f, 0x5, 0x48, 0x25, 0x2, 0x27b, 0x27c, 0x7, 0x2a, 0x2, 0x2, 0x27c, 
    0x27e, 0x5, 0x48, 0x25, 0x2, 0x27d, 0x27b, 0x3, 0x2, 0x2, 0x2, 0x27e, 
    0x281, 0x3, 0x2, 0x2, 0x2, 0x27f, 0x27d, 0x3, 0x2, 0x2, 0x2, 0x27f, 
    0x280, 0x3, 0x2, 0x2, 0x2, 0x280, 0x286, 0x3, 0x2, 0x2, 0x2, 0x281, 
    0x27f, 0x3, 0x2, 0x2, 0x2, 0x282, 0x283, 0x5, 0x3c, 0x1f, 0x2, 0x283, 
    0x284, 0x7, 0x2b, 0x2, 0x2, 0x284, 0x286, 0x3, 0x2, 0x2, 0x2, 0x285, 
    0x279, 0x3, 0x2, 0x2, 0x2, 0x285, 0x282, 0x3, 0x2, 0x2, 0x2, 0x286, 
    0x47, 0x3, 0x2, 0x2, 0x2, 0x287, 0x28c, 0x5, 0x4a, 0x26, 0x2, 0x288, 
    0x289, 0x9, 0x7, 0x2, 0x2, 0x289, 0x28b, 0x5, 0x4a, 0x26, 0x2, 0x28a, 
    0x288, 0x3, 0x2, 0x2, 0x2, 0x28b, 0x28e, 0x3, 0x2, 0x2, 0x2, 0x28c, 
    0x28a, 0x3, 0x2, 0x2, 0x2, 0x28c, 0x28d, 0x3, 0x2, 0x2, 0x2, 0x28d, 
    0x49, 0x3, 0x2, 0x2, 0x2, 0x28e, 0x28c, 0x3, 0x2, 0x2, 0x2, 0x28f, 0x291, 
    0x7, 0x30, 0x2, 0x2, 0x290, 0x28f, 0x3, 0x2, 0x2, 0x2, 0x290, 0x291, 
    0x3, 0x2, 0x2, 0x2, 0x291, 0x292, 0x3, 0x2, 0x2, 0x2, 0x292, 0x297, 
    0x7, 0x1b, 0x2, 0x2, 0x293, 0x297, 0x7, 0x1a, 0x2, 0x2, 0x294, 0x297, 
    0x7, 0x1d, 0x2, 0x2, 0x295, 0x297, 0x5, 0x3c, 0x1f, 0x2, 0x296, 0x290, 
    0x3, 0x2, 0x2, 0x2, 0x296, 0x293, 0x3, 0x2, 0x2, 0x2, 0x296, 0x294, 
    0x3, 0x2, 0x2, 0x2, 0x296, 0x295, 0x3, 0x2, 0x2, 0x2, 0x297, 0x4b, 0x3, 
    0x2, 0x2, 0x2, 0x298, 0x299, 0x7, 0x13, 0x2, 0x2, 0x299, 0x29d, 0x7, 
    0x21, 0x2, 0x2, 0x29a, 0x29c, 0x5, 0x4e, 0x28, 0x2, 0x29b, 0x29a, 0x3, 
    0x2, 0x2, 0x2, 0x29c, 0x29f, 0x3, 0x2, 0x2, 0x2, 0x29d, 0x29b, 0x3, 
    0x2, 0x2, 0x2, 0x29d, 0x29e, 0x3, 0x2, 0x2, 0x2, 0x29e, 0x2a0, 0x3, 
    0x2, 0x2, 0x2, 0x29f, 0x29d, 0x3, 0x2, 0x2, 0x2, 0x2a0, 0x2a1, 0x7, 
    0x22, 0x2, 0x2, 0x2a1, 0x4d, 0x3, 0x2, 0x2, 0x2, 0x2a2, 0x2a3, 0x7, 
    0x1d, 0x2, 0x2, 0x2a3, 0x2a7, 0x7, 0x21, 0x2, 0x2, 0x2a4, 0x2a6, 0x5, 
    0x50, 0x29, 0x2, 0x2a5, 0x2a4, 0x3, 0x2, 0x2, 0x2, 0x2a6, 0x2a9, 0x3, 
    0x2, 0x2, 0x2, 0x2a7, 0x2a5, 0x3, 0x2, 0x2, 0x2, 0x2a7, 0x2a8, 0x3, 
    0x2, 0x2, 0x2, 0x2a8, 0x2aa, 0x3, 0x2, 0x2, 0x2, 0x2a9, 0x2a7, 0x3, 
    0x2, 0x2, 0x2, 0x2aa, 0x2ab, 0x7, 0x22, 0x2, 0x2, 0x2ab, 0x4f, 0x3, 
    0x2, 0x2, 0x2, 0x2ac, 0x2ad, 0x7, 0x1d, 0x2, 0x2, 0x2ad, 0x2b1, 0x7, 
    0x2b, 0x2, 0x2, 0x2ae, 0x2b2, 0x7, 0x1c, 0x2, 0x2, 0x2af, 0x2b2, 0x7, 
    0x1b, 0x2, 0x2, 0x2b0, 0x2b2, 0x5, 0x3c, 0x1f, 0x2, 0x2b1, 0x2ae, 0x3, 
    0x2, 0x2, 0x2, 0x2b1, 0x2af, 0x3, 0x2, 0x2, 0x2, 0x2b1, 0x2b0, 0x3, 
    0x2, 0x2, 0x2, 0x2b2, 0x2b5, 0x3, 0x2, 0x2, 0x2, 0x2b3, 0x2b5, 0x7, 
    0x14, 0x2, 0x2, 0x2b4, 0x2ac, 0x3, 0x2, 0x2, 0x2, 0x2b4, 0x2b3, 0x3, 
    0x2, 0x2, 0x2, 0x2b5, 0x51, 0x3, 0x2, 0x2, 0x2, 0x2b6, 0x2b7, 0x9, 0x8, 
    0x2, 0x2, 0x2b7, 0x53, 0x3, 0x2, 0x2, 0x2, 0x5f, 0x57, 0x5d, 0x67, 0x70, 
    0x76, 0x7e, 0x84, 0x8b, 0x92, 0x96, 0xa0, 0xa7, 0xae, 0xb5, 0xbc, 0xbf, 
    0xc3, 0xc8, 0xcd, 0xd2, 0xd8, 0xdc, 0xe0, 0xe5, 0xea, 0xef, 0xf2, 0xfa, 
    0xfd, 0x104, 0x10a, 0x113, 0x116, 0x11b, 0x120, 0x126, 0x12e, 0x138, 
    0x141, 0x14d, 0x152, 0x158, 0x15d, 0x162, 0x166, 0x170, 0x173, 0x179, 
    0x17b, 0x181, 0x18a, 0x18e, 0x196, 0x19a, 0x19d, 0x1a6, 0x1aa, 0x1b6, 
    0x1c1, 0x1c8, 0x1cc, 0x1d1, 0x1db, 0x1df, 0x1e9, 0x1f0, 0x1f7, 0x1fa, 
    0x202, 0x20f, 0x211, 0x217, 0x223, 0x22a, 0x232, 0x235, 0x237, 0x245, 
    0x251, 0x25c, 0x261, 0x265, 0x26c, 0x274, 0x27f, 0x285, 0x28c, 0x290, 
    0x296, 0x29d, 0x2a7, 0x2b1, 0x2b4, 
  };

  atn::ATNDeserializer deserializer;
  _atn = deserializer.deserialize(_serializedATN);

  size_t count = _atn.getNumberOfDecisions();
  _decisionToDFA.reserve(count);
  for (size_t i = 0; i < count; i++) { 
    _decisionToDFA.emplace_back(_atn.getDecisionState(i), i);
  }
}

PtxParser::Initializer PtxParser::_init;
